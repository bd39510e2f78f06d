import FirstlightModel
import FleetModel
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import SpoolIntake

/// What a host's daemon finds again after it was killed.
@Suite struct IntakeLedgerTests {
  private let directory: TemporaryDirectory
  private let ledger: IntakeLedger
  private let time: Time
  private static let program = BuildKey(buildID: BuildID("aa")!)
  private static let library = BuildKey(buildID: BuildID("bb")!, recorder: .breakpoints)

  init() throws {
    directory = try TemporaryDirectory()
    let time = Time()
    self.time = time
    ledger = try IntakeLedger(
      path: directory.path("ledger.sqlite"), clock: { time.seconds.withLock { $0 } })
  }

  private final class Time: Sendable {
    let seconds = Mutex(0.0)
  }

  private func add(_ change: (inout IntakeStep) -> Void) throws {
    var step = IntakeStep()
    change(&step)
    try ledger.add(step)
  }

  /// Has the daemon run for some time.
  private func run(forSeconds seconds: Double) { time.seconds.withLock { $0 += seconds } }

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

  @Test func aHostKeepsWhatItCountedLast() throws {
    try add { $0.hostCounts = [Self.program: GuardSet([1, 2])] }
    try add { $0.hostCounts = [Self.program: GuardSet([1, 2, 3])] }
    #expect(try reopened().hostCounts().builds == [Self.program: GuardSet([1, 2, 3])])
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
    run(forSeconds: 5000)
    try begin("young")
    try add { $0.members = [FamilyMember(process: "child", root: "touched-1", run: "touched")] }
    try ledger.forgetFamilies(untouchedFor: 5000, except: [])
    #expect(try count("family") == 9)
    run(forSeconds: 1)
    try ledger.forgetFamilies(untouchedFor: 5000, except: ["open"])
    let runs: Set = ["open", "touched", "young"]
    #expect(Set(try ledger.counted(runs: runs.union(["old"])).keys) == runs)
    #expect(try count("run_span") == 3 && count("family") == 7)
    let members = try ledger.members(["old-1", "open-2", "child"])
    #expect(Set(members.keys) == ["open-2", "child"])
    #expect(members["open-2"]?.root == "open-1")
  }
}
