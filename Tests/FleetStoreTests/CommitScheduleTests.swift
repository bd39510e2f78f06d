import ClickHouseStore
import Foundation
import TestSupport
import Testing

/// Random schedules of several receivers over one ClickHouse store, in which all goes wrong that may:
/// nothing is lost, and nothing counts twice. Documentation/ClickHouseCommits.md says why.
///
/// FIRSTLIGHT_SEED repeats one schedule, FIRSTLIGHT_TEST_SCHEDULES says how many there are.
@Suite(.serialized) struct CommitScheduleTests {
  private static var environment: [String: String] { ProcessInfo.processInfo.environment }

  private static var isLong: Bool { environment["FIRSTLIGHT_SOAK"] == "yes" }

  private static var seeds: [UInt64] {
    if let seed = environment["FIRSTLIGHT_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    let count =
      environment["FIRSTLIGHT_TEST_SCHEDULES"].flatMap { Int($0) }
      ?? (isLong ? 300 : 1)
    var random = SystemRandomNumberGenerator()
    return (0..<count).map { _ in random.next() }
  }

  @Test(.enabled(if: StoreKind.clickHouse != nil))
  func nothingIsLostOrCountedTwice() async throws {
    var figures = CommitSchedule.Figures()
    var schedules = 0
    for seed in Self.seeds {
      let schedule = CommitSchedule(
        seed: seed, address: try StoreKind.clickHouseAddress(), transport: StoreKind.transport)
      do {
        try await schedule.run(batches: Self.isLong ? 60 : 12)
      } catch {
        Issue.record("FIRSTLIGHT_SEED=\(seed): \(error)")
      }
      figures = figures + schedule.figures
      schedules += 1
      guard schedule.violations.isEmpty else {
        let log = schedule.log.suffix(400).joined(separator: "\n")
        Issue.record(
          "FIRSTLIGHT_SEED=\(seed)\n\(log)\n\(schedule.violations.joined(separator: "\n"))")
        continue
      }
    }
    let faults = figures.faults.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    print(
      "\(schedules) schedules, \(figures.batches) batches, \(figures.statements) statements, "
        + "\(figures.answers) answers checked; \(faults.joined(separator: ", "))")
  }

  /// Each way to break the protocol is noticed. Part of the long form.
  @Test(
    .enabled(if: StoreKind.clickHouse != nil && isLong), arguments: ScheduleSabotage.allCases)
  func aBrokenProtocolIsNoticed(sabotage: ScheduleSabotage) async throws {
    var violations: [String] = []
    for seed in 1...10 as ClosedRange<UInt64> where violations.isEmpty {
      let schedule = CommitSchedule(
        seed: seed, address: try StoreKind.clickHouseAddress(), transport: StoreKind.transport,
        sabotage: sabotage)
      try await schedule.run(batches: 20)
      violations = schedule.violations
    }
    print("\(sabotage): \(violations.first ?? "not noticed")")
    #expect(!violations.isEmpty)
  }
}
