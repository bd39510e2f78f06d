import Foundation
import TestSupport
import Testing

/// Clocks that differ, and processes that stand still.
@Suite(.tags(.compiler)) struct RuntimeClockTests {
  /// Ten days ahead by the clock that times are taken from, and which nobody can step otherwise.
  private static let elsewhere = [
    "unshare", "--time", "--fork", "--monotonic", "864000", "--boottime", "864000",
  ]
  static let hasTimeNamespaces = (try? Command.run(elsewhere + ["true"]))?.status == 0

  @Test(.enabled(if: hasTimeNamespaces, "needs a time namespace, so root and Linux 5.6"))
  func processesOfDifferentClocksStayApartAndInOrder() throws {
    let spool = try Spool()
    let program = try Fixture.runtime("family")
    let before = Date.now.timeIntervalSince1970
    for clock in [[], Self.elsewhere, []] {
      let result = try program.run(["fork"], before: clock, into: spool)
      #expect(result.status == 0 && result.errors == "")
    }
    let profile = try spool.profile()
    let traces = try StoredTrace.all(of: profile)
    // By the wall clock, which all share: each run's parent, then its child.
    #expect(
      traces.map(\.names)
        == (0..<3).flatMap { _ in [["main", "shared", "parent_after"], ["worker0"]] })
    for place in stride(from: 0, to: 6, by: 2) {
      #expect(traces[place + 1].forkedFrom == traces[place].pid)
    }
    let starts = try Command.check([
      "sqlite3", profile, "SELECT started_at FROM process ORDER BY started_at",
    ]).split(separator: "\n").compactMap { Double($0) }
    #expect(starts.count == 6)
    let after = Date.now.timeIntervalSince1970
    #expect(starts.allSatisfy { before - 1 < $0 && $0 < after + 1 })
  }

  @Test func aStoppedProcessGoesOnWhereItWas() throws {
    let spool = try Spool()
    try Fixture.runtime("stopped").check(into: spool)
    let traces = try spool.traces()
    #expect(traces.map(\.names).contains(["main", "parent_saw_it_stop"]))
    #expect(traces.map(\.names).contains(["child_before", "child_after"]))
    // The child's second call comes after what its parent did while it stood still.
    let records = try RawSegment.all(in: spool.directory).map(\.records)
    #expect(records.count == 2 && records.allSatisfy { $0.count == 2 })
    let (parent, child) = records[0][0].time < records[1][0].time ? (0, 1) : (1, 0)
    #expect(records[child][0].time < records[parent][1].time)
    #expect(records[parent][1].time < records[child][1].time)
  }
}
