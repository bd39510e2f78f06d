import FirstlightModel
import FleetModel
import Foundation
import GRDB
import TestSupport
import Testing

@testable import IntakeLedger

/// What a host's daemon finds again after it was killed.
@Suite struct IntakeLedgerTests {
  private let directory: TemporaryDirectory
  private let ledger: IntakeLedger
  private static let program = BuildKey(buildID: BuildID("aa")!)
  private static let library = BuildKey(buildID: BuildID("bb")!, recorder: .breakpoints)

  init() throws {
    directory = try TemporaryDirectory()
    ledger = try IntakeLedger(path: directory.path("ledger.sqlite"))
  }

  private func add(
    labels: FleetLabels = FleetLabels(), _ change: (inout IntakeStep) -> Void
  ) throws {
    var step = IntakeStep(madeAt: 1000)
    change(&step)
    try ledger.add(step, labels: labels)
  }

  /// Has the daemon run for some time.
  private func run(forSeconds seconds: Double) throws {
    try ledger.queue.write {
      try $0.execute(sql: "UPDATE uptime SET seconds = seconds + ?", arguments: [seconds])
    }
  }

  private func count(_ table: String) throws -> Int {
    try ledger.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
  }

  private func reopened() throws -> IntakeLedger { try IntakeLedger(path: ledger.path) }

  @Test func processesAreDoneUntilTheirFilesAreGone() throws {
    try add { $0.done = ["a", "b"] }
    // Noted twice, it is done once.
    try add {
      $0.done = ["b", "c"]
      $0.removed = ["a", "never there"]
    }
    #expect(try reopened().done() == ["b", "c"])
  }

  @Test func aStepWithoutTracesMakesNoBatch() throws {
    try add { $0.batch = [1, 2, 3] }
    #expect(try ledger.outboxSize() == OutboxSize())
    #expect(try ledger.waiting(limit: 10).isEmpty)
  }

  @Test func batchesWaitInTheOrderInWhichTheyWereMade() throws {
    // By number, not by a clock that may have been set back.
    for (number, madeAt) in [(1, 3000.0), (2, 1000), (3, 2000)] {
      try ledger.enqueue(
        [UInt8](repeating: UInt8(number), count: number), traces: number * 10, madeAt: madeAt,
        note: "test")
    }
    var size = OutboxSize()
    (size.batches, size.traces, size.bytes, size.oldest) = (3, 60, 6, 1000)
    #expect(try ledger.outboxSize() == size)
    let waiting = try reopened().waiting(limit: 2)
    #expect(waiting.map(\.bytes) == [[1], [2, 2]])
    #expect(waiting.map(\.traces) == [10, 20] && waiting.map(\.madeAt) == [3000, 1000])

    try ledger.replace(waiting[1].id, with: [9])
    try ledger.acknowledge(waiting[0].id, sampleLimits: [:])
    #expect(try ledger.waiting(limit: 10).map(\.bytes) == [[9], [3, 3, 3]])
    // A number is never given twice: a receiver's late answer removes no other batch.
    for batch in try ledger.waiting(limit: 10) {
      try ledger.acknowledge(batch.id, sampleLimits: [:])
    }
    try ledger.enqueue([7], traces: 1, madeAt: 1, note: "test")
    #expect(try ledger.waiting(limit: 10).first?.id == waiting[1].id + 2)
  }

  @Test func theSmallestSampleLimitStays() throws {
    // Both sides of where a signed number would turn.
    let limits: [UInt64] = [.max, 1 << 63, (1 << 63) - 1, 500, 900]
    for limit in limits { try ledger.acknowledge(0, sampleLimits: [Self.program: limit]) }
    try ledger.acknowledge(0, sampleLimits: [Self.library: 1 << 63])
    #expect(
      try reopened().sampleLimits() == [Self.program: 500, Self.library: 1 << 63])
  }

  @Test func whatRunsCountedIsFoundByRun() throws {
    var first = CoverageTally(isStarted: true)
    first.span = 10...25.5
    // One set that is mostly ones, and one that is mostly zeros.
    first.builds = [
      Self.program: GuardSet(0..<200), Self.library: GuardSet([3, 70_000, 4_000_000]),
    ]
    var second = CoverageTally(isStarted: true)
    second.builds = [Self.program: GuardSet([1])]
    try add { $0.runs = ["first": first, "second": second] }
    let found = try reopened().counted(runs: ["first", "second", "unknown"])
    #expect(found == ["first": first, "second": second])
    // What a run counted last replaces what it had.
    first.builds[Self.program] = GuardSet(0..<201)
    first.span = 10...30
    try add { $0.runs = ["first": first] }
    #expect(try ledger.counted(runs: ["first"]) == ["first": first])
  }

  @Test func aHostCountsUnderEachSetOfLabels() throws {
    let europe = try FleetLabels(["region": "eu", "version": "2"])
    try add { $0.hostCounts = [Self.program: GuardSet([1, 2])] }
    try add(labels: europe) { $0.hostCounts = [Self.program: GuardSet([3])] }
    let ledger = try reopened()
    #expect(
      try ledger.hostCounts(labels: FleetLabels()).builds == [Self.program: GuardSet([1, 2])])
    #expect(try ledger.hostCounts(labels: europe).builds == [Self.program: GuardSet([3])])
    let other = try ledger.hostCounts(labels: try FleetLabels(["region": "eu"]))
    #expect(other.builds.isEmpty && !other.isStarted)
  }

  @Test func oldFamiliesAreForgottenUnlessSomeStillRun() throws {
    func begin(_ run: String) throws {
      var tally = CoverageTally(isStarted: true)
      tally.span = 1...2
      tally.builds = [Self.program: GuardSet([1])]
      try add {
        $0.runs = [run: tally]
        $0.members = [
          FamilyMember(process: "\(run)-1", root: "\(run)-1", run: run),
          FamilyMember(process: "\(run)-2", root: "\(run)-1", run: run),
        ]
      }
    }
    for run in ["old", "open", "touched"] { try begin(run) }
    try run(forSeconds: 5000)
    try begin("young")
    try add { $0.members = [FamilyMember(process: "child", root: "touched-1", run: "touched")] }
    try ledger.forgetFamilies(untouchedFor: 5000, except: [])
    #expect(try count("family") == 9)
    try run(forSeconds: 1)
    try ledger.forgetFamilies(untouchedFor: 5000, except: ["open"])
    let runs: Set = ["open", "touched", "young"]
    #expect(Set(try ledger.counted(runs: runs.union(["old"])).keys) == runs)
    #expect(try count("run_span") == 3 && count("family") == 7)
    let members = try ledger.members(["old-1", "open-2", "child"])
    #expect(Set(members.keys) == ["open-2", "child"])
    #expect(members["open-2"]?.root == "open-1")
  }

  @Test func theOutboxGivesUpWhatIsTooOldOrTooMuch() throws {
    for number in 1...4 {
      try ledger.enqueue(
        [UInt8](repeating: 0, count: 100), traces: number, madeAt: 5e9, note: "test")
      try run(forSeconds: 1000)
    }
    #expect(try ledger.giveUp(olderThan: 4000, keeping: 400) == 0)
    // The clock does not count, nor how long this machine runs: the first waits since 4000 seconds.
    #expect(try ledger.giveUp(olderThan: 3999, keeping: 400) == 1)
    #expect(try ledger.giveUp(olderThan: 1e9, keeping: 250) == 2)
    #expect(try ledger.waiting(limit: 10).map(\.traces) == [3, 4])
    #expect(try ledger.giveUp(olderThan: 1e9, keeping: 0) == 7)
    #expect(try ledger.outboxSize() == OutboxSize())
  }

  @Test func whatAnAdministratorDidIsNoted() throws {
    try ledger.enqueue([1], traces: 1, madeAt: 1, note: "requeued batch-1")
    try ledger.note("requeued a recording")
    let notes = try ledger.queue.read {
      try String.fetchAll($0, sql: "SELECT what FROM audit WHERE at > 1700000000 ORDER BY id")
    }
    #expect(notes == ["requeued batch-1", "requeued a recording"])
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func setsComeBackInWhicheverFormTheyAreKept(seed: UInt64) {
    var generator = SplitMix64(state: seed)
    let limit = UInt32(1) << UInt32.random(in: 1...26, using: &generator)
    let guards = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
      UInt32.random(in: 0..<limit, using: &generator)
    }
    let set = GuardSet(guards)
    let (bytes, isSparse) = IntakeLedger.data(set)
    let back = IntakeLedger.set(bytes, isSparse: isSparse)
    #expect(Set(back) == Set(guards) && back == set)
  }
}
