import Foundation
import TestSupport
import Testing

/// A daemon whose store is ClickHouse, which goes away and comes back. Scripts/test-fleet runs it:
/// FIRSTLIGHT_TEST_CLICKHOUSE says where, FIRSTLIGHT_TEST_CLICKHOUSE_CLUSTER is the directory of a
/// cluster that may be broken, FIRSTLIGHT_TEST_OUTAGE for how many seconds.
@Suite struct FleetClickHouseTests {
  private static let environment = ProcessInfo.processInfo.environment

  @Test(
    .enabled(
      if: environment["FIRSTLIGHT_TEST_CLICKHOUSE_CLUSTER"] != nil,
      "needs a cluster: Scripts/test-fleet"))
  func whatRanDuringAnOutageIsThereAfterIt() throws {
    let fleet = try FleetFixture()
    let what = ["", "b", "fd", "f", "d", "b"]
    let profiles = try what.enumerated().map { try fleet.runAndRecord($1, number: $0) }
    let merged = fleet.program.directory.path("merged.flp")
    try Command.check([Toolchain.firstlight, "merge", "-o", merged] + profiles)
    let held = fleet.program.directory.path("held")
    try FileManager.default.moveItem(atPath: fleet.spool, toPath: held)
    try FileManager.default.createDirectory(
      atPath: fleet.spool, withIntermediateDirectories: false)

    let store = try Self.store()
    let daemon = try Daemon([
      "--spool", fleet.spool, "--store", store, "--listen", "127.0.0.1:0",
    ])
    try daemon.hasSaid("[Collector] started")
    // All servers: which of the shards gets the rows is up to the identity that the daemon has drawn.
    try Self.control("stop")
    // A running program makes its process's file first. Those that are moved here come in any order,
    // so nobody may look before all are there.
    daemon.command.send(SIGSTOP)
    for name in try FileManager.default.contentsOfDirectory(atPath: held) {
      try FileManager.default.moveItem(atPath: "\(held)/\(name)", toPath: "\(fleet.spool)/\(name)")
    }
    daemon.command.send(SIGCONT)
    try daemon.hasTaken(8)
    try daemon.hasSaid("cannot deliver")
    #expect(try fleet.leftInSpool == [])
    // The outage itself, not a wait for anything.
    Thread.sleep(forTimeInterval: Double(Self.environment["FIRSTLIGHT_TEST_OUTAGE"] ?? "") ?? 0)
    // A statement needs all shards. Which server's refusal is reported depends on who answered last.
    try daemon.hasSaid("cannot deliver") { try Self.control("start", "1") }
    try Self.control("start", "2")
    try daemon.waits(
      for: "0", from: FleetSQL.waiting,
      in: fleet.spool + "/.firstlightd/ledger.sqlite")
    try daemon.hasSaid("functions named")
    let exported = Set(try MetricNames(of: daemon).values.keys)
    for file in ["prometheus-alerts.yaml", "grafana-dashboard.json"] {
      let missing = try MetricNames.asked(in: file).subtracting(exported)
      // Housekeeping may not have come yet.
      #expect(missing.isSubset(of: ["firstlightd_store_bytes"]), "\(missing)")
    }
    try daemon.stop()

    let dead = try Command.check([
      Toolchain.firstlight, "fleet", "dead", "--format", "json", "--from", store,
    ])
    let document = try JSONDecoder().decode(DeadDocument.self, from: Data(dead.utf8))
    let expected = try Answer.dead([merged])
    #expect(document.functions.map(\.name) == ["never"])
    #expect(document.mangledNames == expected.mangledNames)
    #expect(document.totals.called == expected.totals.called)
    for strategy in ["first-call", "balanced"] {
      let order = try Command.check(
        [Toolchain.firstlight, "fleet", "order", "--strategy", strategy, "--from", store])
      #expect(
        order
          == (try Command.check([Toolchain.firstlight, "order", "--strategy", strategy, merged])))
    }
    let builds = try Command.check([Toolchain.firstlight, "fleet", "builds", "--from", store])
    #expect(builds.contains("program"))
  }

  /// A database of its own.
  private static func store() throws -> String {
    let address = try #require(environment["FIRSTLIGHT_TEST_CLICKHOUSE"])
    let name = "test_" + UUID().uuidString.replacing("-", with: "").lowercased()
    let parts = address.split(separator: "?", maxSplits: 1)
    return "clickhouse:\(parts[0])/\(name)" + (parts.count > 1 ? "?\(parts[1])" : "")
  }

  private static func control(_ arguments: String...) throws {
    try Command.check(
      [
        Toolchain.project.appending(path: "Scripts/clickhouse-cluster").path,
        try #require(environment["FIRSTLIGHT_TEST_CLICKHOUSE_CLUSTER"]),
      ] + arguments)
  }
}
