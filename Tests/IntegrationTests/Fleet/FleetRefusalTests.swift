import Foundation
import TestSupport
import Testing

/// What an upstream refuses: kept, shown, tried again when an administrator says so.
@Suite(.serialized) struct FleetRefusalTests {
  private func aside(_ fleet: FleetFixture) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: asideDirectory(fleet)).sorted()
  }

  private func asideDirectory(_ fleet: FleetFixture) -> String {
    fleet.spool + "/.firstlightd/quarantine"
  }

  private func sender(
    _ fleet: FleetFixture, to url: String, _ arguments: [String] = []
  ) throws -> Daemon {
    try Daemon(["--spool", fleet.spool, "--upstream", url] + arguments)
  }

  private func requeue(_ fleet: FleetFixture, _ options: String...) throws -> String {
    try Command.check([Daemon.path, "requeue", "--spool", fleet.spool] + options)
  }

  /// One trace of three, as that of a build of which a forged report came first.
  @Test func aRefusedTraceIsKeptAndTriedAgain() throws {
    let fleet = try FleetFixture()
    for what in ["b", "fd"] { try fleet.run(what) }
    let upstream = try StandInUpstream("1")
    let first = try sender(fleet, to: upstream.url, ["--listen", "127.0.0.1:0"])
    let url = "http://127.0.0.1:\(try first.port())"
    try first.hasSaid("refused traces quarantined")
    try first.waits(
      for: "0", from: "SELECT count(*) FROM outbox",
      in: fleet.spool + "/.firstlightd/ledger.sqlite")
    try first.command.wait {
      try Command.run(["curl", "-s", "\(url)/metrics"]).output
        .contains("firstlightd_traces_delivered_total 2\n")
    }
    let metrics = try Command.check(["curl", "-s", "\(url)/metrics"])
    #expect(metrics.contains("firstlightd_traces_refused_total 1\n"))
    // It may be looked at while the daemon runs.
    let list = try requeue(fleet, "--dry-run")
    #expect(list.contains(/^batch-1-\d+-1  1 trace  has 5 functions, not 4\n$/), "\(list)")
    try first.stop()
    try upstream.stop()
    #expect(try aside(fleet).count == 2)

    // The administrator of the upstream has corrected the build.
    #expect(
      try requeue(fleet)
        == "requeued 1 batch with 1 trace and 0 recordings; next: start firstlightd\n")
    #expect(try aside(fleet) == [])
    #expect(try requeue(fleet, "--dry-run") == "the quarantine is empty\n")
    let audit = try Command.check([
      "sqlite3", fleet.spool + "/.firstlightd/ledger.sqlite", "SELECT what FROM audit",
    ])
    #expect(
      audit.contains(
        /^requeued batch-1-\d+-1 \(1 trace\), quarantined because: has 5 functions, not 4\n$/),
      "\(audit)")
    let receiver = try Daemon(["--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0"])
    let second = try sender(fleet, to: "http://127.0.0.1:\(try receiver.port())")
    try second.waits(for: "1", from: "SELECT count(*) FROM known_trace", in: fleet.store)
    try second.stop()
    try receiver.stop()
  }

  @Test func aRefusedBatchIsKeptByteByByte() throws {
    let fleet = try FleetFixture()
    for what in ["b", "fd"] { try fleet.run(what) }
    let upstream = try StandInUpstream("batch")
    let daemon = try sender(fleet, to: upstream.url)
    let sent = try upstream.body(0)
    try daemon.hasSaid("refused traces quarantined")
    try daemon.stop()
    let name = try #require(try aside(fleet).first { $0.hasSuffix(".flb") })
    #expect(name.hasSuffix("-3.flb"))
    try Command.check(["cmp", sent, asideDirectory(fleet) + "/" + name])
    #expect(
      try requeue(fleet)
        == "requeued 1 batch with 3 traces and 0 recordings; next: start firstlightd\n")
    let again = try sender(fleet, to: upstream.url)
    try Command.check(["cmp", sent, try upstream.body(1)])
    try again.hasSaid("refused traces quarantined")
    try again.stop()
    try upstream.stop()
  }

  /// Two files each; the older ones go.
  @Test func refusedBatchesHaveALimit() throws {
    let fleet = try FleetFixture()
    let upstream = try StandInUpstream("batch")
    let daemon = try sender(
      fleet, to: upstream.url, ["--quarantine-files", "3", "--listen", "127.0.0.1:0"])
    for round in 0..<3 {
      try fleet.run("b")
      _ = try upstream.body(round)
    }
    try daemon.command.wait {
      daemon.command.output.matches(of: /refused batch dropped: quota exceeded/).count == 2
    }
    let metrics = try Command.check([
      "curl", "-s", "http://127.0.0.1:\(try daemon.port())/metrics",
    ])
    #expect(metrics.contains("firstlightd_traces_lost_total 2\n"))
    try daemon.stop()
    let left = try aside(fleet)
    #expect(left.count == 2 && left.allSatisfy { $0.hasPrefix("batch-3-") }, "\(left)")
    try upstream.stop()
  }
}
