import FirstlightModel
import FleetTestSupport
import Foundation
import Synchronization
import TestSupport

@testable import FleetModel
@testable import SpoolIntake

/// A ledger whose clock stands still until it is moved.
final class LedgerFixture {
  let directory: TemporaryDirectory
  private(set) var ledger: IntakeLedger
  private let seconds = Clock()
  /// By the clock of the day; noon, so that no row's day is over.
  var now = LedgerFixture.noon

  private final class Clock: Sendable {
    let seconds = Mutex(1000.0)
  }

  static let day = FleetDay("2026-03-04")!
  static let noon = day.start + 43200
  static let program = BuildKey(buildID: BuildID("aa")!)
  static let library = BuildKey(buildID: BuildID("bb")!, recorder: .breakpoints)

  convenience init() throws {
    let directory = try TemporaryDirectory()
    try self.init(directory, path: directory.path("ledger.sqlite"))
  }

  private init(_ directory: TemporaryDirectory, path: String) throws {
    self.directory = directory
    let seconds = seconds
    ledger = try IntakeLedger(path: path, clock: { seconds.seconds.withLock { $0 } })
  }

  /// Time passes, by both clocks.
  func pass(_ seconds: Double) {
    self.seconds.seconds.withLock { $0 += seconds }
    now += seconds
  }

  /// As after a daemon's death.
  func reopen() throws {
    let seconds = seconds
    ledger = try IntakeLedger(
      path: ledger.path, clock: { seconds.seconds.withLock { $0 } })
  }

  /// A copy of the ledger's files, as a backup makes it while a daemon runs.
  func copy() throws -> LedgerFixture {
    let path = directory.path("copy.sqlite")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: ledger.path + suffix, toPath: path + suffix)
    }
    return try LedgerFixture(directory, path: path)
  }

  @discardableResult
  func count(_ processes: [CountedProcess]) throws -> [LostSums] {
    let counted = PublishedStates.counting(processes, version: .none)
    var step = IntakeStep()
    (step.states, step.samples) = (counted.states, counted.samples)
    return try ledger.add(step)
  }

  func due(_ pace: SendingPace = .upstream) throws -> [WaitingRow] {
    var rows: [WaitingRow] = []
    while let batch = try ledger.next(pace, now: now, after: rows.last?.id ?? 0, upTo: .max) {
      rows += batch.rows
    }
    return rows
  }

  /// Samples that the receiver lacks.
  func samples() throws -> [WaitingSample] {
    try ledger.next(.upstream, now: now, after: .max, samples: true, upTo: .max)?.samples ?? []
  }

  /// The rows of all lives.
  func rows() throws -> [ComparedRow] {
    var rows: [ComparedRow] = []
    while let page = try ledger.rowsToCompare(after: rows.last?.id ?? 0) { rows += page.rows }
    return rows
  }

  func settle(_ change: (inout SendingOutcome) -> Void) throws -> [LostSums] {
    var outcome = SendingOutcome()
    change(&outcome)
    return try ledger.settle(outcome, on: FleetDay(of: now))
  }

  /// Has the receiver take all that is due, and returns it.
  @discardableResult
  func deliver(_ pace: SendingPace = .upstream) throws -> [SeriesState] {
    let rows = try due(pace)
    _ = try settle { $0.taken = rows }
    return try rows.map { try $0.state() }
  }

  /// The numbers of runs, that of the smallest family first.
  static let ranked = (0..<400).sorted { family(ofRun: $0) < family(ofRun: $1) }

  /// Of a run's trace.
  static func family(ofRun run: Int) -> UInt64 { FamilyHash.of(run: "run \(run)", root: "1") }

  /// A process that called functions of one build.
  /// - Parameter run: a number of its own for each.
  static func trace(
    _ run: Int, calls: [UInt32] = [1, 2], new: [UInt32] = [], of build: BuildKey = program,
    guards: Int = 100, at time: Double = noon, ordered: Bool = false
  ) -> CountedProcess {
    let series = SeriesKey(build: build, day: FleetDay.counting(time), labels: FleetLabels())
    var state = SeriesState(
      key: StateKey(series: series, guardCount: guards), name: "", isExecutable: true)
    state.names = ImageNames("/usr/bin/app", runs: 1)
    (state.totals.runs, state.totals.programRuns, state.totals.processes) = (1, 1, 1)
    (state.totals.hosts, state.totals.seconds) = (new.isEmpty ? 0 : 1, 1)
    let called = Set(calls).sorted()
    state.sums = GuardSums(
      guardCount: guards, guards: called,
      sums: called.map {
        GuardSum(runs: 1, hosts: new.contains($0) ? 1 : 0, firstSeen: time, lastSeen: time)
      })
    guard ordered else { return CountedProcess(states: [state], sample: nil) }
    let sample = FleetTrace(
      run: "run \(run)", process: "1", root: "1", host: "host", startedAt: time, seconds: 1,
      images: [
        FleetImage(build: build, name: "/usr/bin/app", isExecutable: true, guardCount: guards)
      ], program: 0,
      calls: calls.map { RecordedCall(build: 0, guardIndex: $0, thread: 1, time: 1) })
    return CountedProcess(states: [state], sample: sample)
  }
}
