import Foundation
import TestSupport
import Testing

/// What an upstream refuses: said, counted, and no obstacle to what comes after it.
@Suite(.serialized) struct FleetRefusalTests {
  private func ledger(_ fleet: FleetFixture) -> String {
    fleet.spool + "/.firstlightd/ledger.sqlite"
  }

  private func sender(
    _ fleet: FleetFixture, to url: String, _ arguments: [String] = []
  ) throws -> Daemon {
    try Daemon(["--spool", fleet.spool, "--upstream", url] + arguments)
  }

  /// A row that will never be taken: its runs are lost, which is counted.
  @Test func aRefusedRowIsGivenUpAndCounted() throws {
    let fleet = try FleetFixture()
    for what in ["b", "fd"] { try fleet.run(what) }
    let upstream = try StandInUpstream("1")
    let daemon = try sender(fleet, to: upstream.url, ["--listen", "127.0.0.1:0"])
    try daemon.hasSaid("dropped up to 2001-02-03")
    try daemon.waits(for: "0", from: FleetSQL.waiting, in: ledger(fleet))
    let exported = try MetricNames(of: daemon)
    #expect(exported.values["firstlightd_rows_refused_total"] == 1)
    #expect(exported.values["firstlightd_runs_lost_total"] == 2)
    #expect(exported.values["firstlightd_sink_reachable"] == 1)
    try daemon.stop()
    try upstream.stop()
  }

  /// What a receiver cannot read waits until it changes or the daemon starts again, and holds nothing up.
  @Test func whatCannotBeReadWaitsUntilItChanges() throws {
    let fleet = try FleetFixture()
    try fleet.run("b")
    let upstream = try StandInUpstream("batch")
    let daemon = try sender(fleet, to: upstream.url)
    try daemon.hasSaid("cannot be read")
    try fleet.run("d")
    _ = try upstream.body(1)
    try daemon.stop()
    try upstream.stop()
    #expect(try Command.check(["sqlite3", ledger(fleet), FleetSQL.waiting]) == "1\n")
    // A receiver that can read it gets all of it.
    let receiver = try Daemon(["--store", "sqlite:\(fleet.store)", "--listen", "127.0.0.1:0"])
    let again = try sender(fleet, to: "http://127.0.0.1:\(try receiver.port())")
    try again.waits(for: "2", from: FleetSQL.processes, in: fleet.store)
    try again.stop()
    try receiver.stop()
  }
}
