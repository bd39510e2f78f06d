import Foundation
import TestSupport
import Testing

/// What Prometheus and Grafana see of a daemon.
@Suite struct FleetMonitoringTests {
  /// To Prometheus a counter that comes with a value has not risen, so no alert would tell of the first loss.
  @Test func countersAreThereBeforeAnythingHappens() throws {
    let fleet = try FleetFixture()
    let daemon = try Daemon([
      "--spool", fleet.spool, "--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0",
    ])
    let exported = try MetricNames(of: daemon)
    #expect(exported.values["firstlightd_runs_lost_total"] == 0)
    #expect(exported.values["firstlightd_received_bytes"] == 0)
    for file in ["prometheus-alerts.yaml", "grafana-dashboard.json"] {
      let asked = try MetricNames.asked(in: file)
      #expect(asked.count > 5)
      // The spool may not have been read yet, nor the store measured: these are no counters.
      let missing = asked.subtracting(exported.values.keys)
      #expect(
        missing.isSubset(of: ["firstlightd_store_bytes", "firstlightd_pass_seconds"]),
        "\(file): \(missing.sorted())")
    }
    try daemon.stop()
  }

  @Test func aDaemonSaysWhetherItIsReady() throws {
    let fleet = try FleetFixture()
    let daemon = try Daemon(["--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0"])
    let url = "http://127.0.0.1:\(try daemon.port())"
    #expect(try Command.check([Daemon.path, "ready", url]) == "ready\n")
    #expect(try Command.check([Daemon.path, "ready", "--alive", url + "/"]) == "running\n")
    try daemon.stop()
    let gone = try Command.run([Daemon.path, "ready", url])
    #expect(gone.status == 69)
    let address = url.dropFirst("http://".count)
    #expect(gone.errors.hasPrefix("firstlightd: error: \(address): no answer"), "\(gone.errors)")
    #expect(gone.errors.split(separator: "\n").count == 1)
  }

  @Test func aSpoolIsMadeForAllUsers() throws {
    let directory = try TemporaryDirectory()
    let spool = directory.path("spool")
    let daemon = try Daemon([
      "--spool", spool, "--spool-for-all", "yes", "--store", "sqlite:\(directory.path("store"))",
    ])
    try daemon.hasSaid("[Collector] started")
    #expect(try Command.check(["stat", "-c", "%a", spool]) == "1733\n")
    try daemon.stop()
  }

  /// A receiver that has too much to do is no receiver that is away.
  @Test func aReceiverIsAskedAgainWhenItWantsToBe() throws {
    let fleet = try FleetFixture()
    let upstream = try StandInUpstream("full")
    try fleet.run("b")
    let daemon = try Daemon([
      "--spool", fleet.spool, "--upstream", upstream.url, "--listen", "127.0.0.1:0",
    ])
    let first = try upstream.body(0)
    let second = try upstream.body(1)
    #expect(try Data(contentsOf: URL(filePath: first)) == Data(contentsOf: URL(filePath: second)))
    try daemon.waits(
      for: "0", from: FleetSQL.waiting,
      in: fleet.spool + "/.firstlightd/ledger.sqlite")
    let exported = try MetricNames(of: daemon)
    #expect(exported.values["firstlightd_deliveries_postponed_total"] == 1)
    #expect(exported.values["firstlightd_delivery_failures_total"] == 0)
    #expect(exported.values["firstlightd_sink_reachable"] == 1)
    try daemon.stop()
    try upstream.stop()
  }
}
