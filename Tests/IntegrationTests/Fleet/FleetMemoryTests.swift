import Foundation
import TestSupport
import Testing

/// Memory that senders take up before anything of them is counted.
@Suite(.serialized) struct FleetMemoryTests {
  /// What `Tests/Fixtures/fleet/flood.py` says in the end.
  private struct Outcome: Decodable {
    /// By HTTP status, and `cut off`.
    var answers: [String: Int]
    var retries: Int
    /// Bytes.
    var memory: Int
  }

  /// 24 of 30 MB would take up 720 MB.
  @Test func largeBatchesAtOnceLeaveItSmall() throws {
    let fleet = try FleetFixture()
    let listener = try Listener(fleet, ["--store", "sqlite:\(fleet.store)"])
    let count = 24
    let outcome = try JSONDecoder().decode(
      Outcome.self,
      from: Data(
        HostileScript.run(
          "flood", listener.url, listener.token,
          "\(listener.daemon.command.process.processIdentifier)", "\(count)",
          beside: listener.daemon
        ).utf8))
    print("flood: \(outcome)")
    #expect(outcome.memory < 256 << 20, "\(outcome)")
    #expect(outcome.answers["200"] == count, "\(outcome)")
    let again = outcome.answers["429", default: 0]
    #expect(again > 0 && outcome.retries == again, "\(outcome)")
    #expect(Set(outcome.answers.keys).isSubset(of: ["200", "429", "cut off"]), "\(outcome)")
    #expect(
      try Command.check(["sqlite3", fleet.store, "SELECT count(*) FROM state"]) == "\(count)\n")
    let metrics = try Command.check([
      "curl", "-s", "-H", "Authorization: Bearer \(listener.token)", "\(listener.url)/metrics",
    ])
    #expect(metrics.contains("firstlightd_postponed_batches_total \(again)\n"), "\(metrics)")
    try listener.daemon.stop()
  }

  @Test func aBudgetHasRoomForOneBatch() throws {
    let result = try Command.run([
      Daemon.path, "--listen", "127.0.0.1:0", "--body-limit", "3M", "--inflated-limit", "4M",
      "--body-memory", "6M",
    ])
    #expect(result.status == 64)
    #expect(
      result.errors.contains("body-memory is less than the sum of body-limit and inflated-limit"))
  }
}
