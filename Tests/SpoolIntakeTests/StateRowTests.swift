import FirstlightModel
import FleetModel
import FleetTestSupport
import Foundation
import GRDB
import TestSupport
import Testing

@testable import SpoolIntake

/// What rows say of the processes that were counted.
@Suite struct StateRowTests {
  private let fixture: LedgerFixture

  init() throws { fixture = try LedgerFixture() }

  @Test func aRowIsTheSumOfAllRunsAndItsVersionRises() throws {
    try fixture.count([LedgerFixture.trace(1, calls: [1, 2], new: [1, 2])])
    let first = try #require(try fixture.due().first?.state())
    #expect(first.version.changes == 1 && first.totals.runs == 1 && first.totals.hosts == 1)
    try fixture.count([LedgerFixture.trace(2, calls: [2]), LedgerFixture.trace(3, calls: [2, 7])])
    try fixture.count([LedgerFixture.trace(4, calls: [1])])
    let rows = try fixture.due().map { try $0.state() }
    #expect(rows.count == 1)
    #expect(
      rows[0].version.changes == 3 && rows[0].totals.runs == 4 && rows[0].totals.processes == 4)
    #expect(
      rows[0].sums.called.map { [Int($0.0), $0.1.runs, $0.1.hosts] }
        == [[1, 2, 1], [2, 3, 1], [7, 1, 0]])
    #expect(rows[0].names.paths == ["/usr/bin/app"])
  }

  /// Against sums that are made one call at a time.
  @Test(arguments: 0..<6 as Range<UInt64>)
  func anyStepsGiveTheSumsOfTheirRuns(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    var runsOf: [String: [UInt32: Int]] = [:]
    var number = 0
    for _ in 0..<12 {
      let traces = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        number += 1
        let day = Double.random(in: 0..<3, using: &random).rounded(.down)
        let guards = [100, 200].randomElement(using: &random) ?? 0
        let calls = (0..<20 as Range<UInt32>).filter { _ in Bool.random(using: &random) }
        for call in calls { runsOf["\(day) \(guards)", default: [:]][call, default: 0] += 1 }
        return LedgerFixture.trace(
          number, calls: calls, guards: guards, at: LedgerFixture.noon - day * 86400)
      }
      try fixture.count(traces)
      if Bool.random(using: &random) { try fixture.reopen() }
      if Bool.random(using: &random) { try fixture.deliver() }
      fixture.pass(2)
    }
    let all = try fixture.ledger.queue.read { database in
      try [SeriesState](stored: database)
    }
    var found: [String: [UInt32: Int]] = [:]
    for state in all {
      let day = Double(LedgerFixture.day.number - state.key.day.number)
      for (guardIndex, sum) in state.sums.called {
        found["\(day) \(state.key.guardCount)", default: [:]][guardIndex, default: 0] += sum.runs
      }
    }
    #expect(found == runsOf)
  }

  @Test func stepsWriteOnlyTheRowsThatTheyChange() throws {
    try fixture.count([
      LedgerFixture.trace(1), LedgerFixture.trace(2, of: LedgerFixture.library),
    ])
    try fixture.deliver()
    try fixture.count([LedgerFixture.trace(3, of: LedgerFixture.library)])
    try fixture.count([])
    #expect(try fixture.rows().map(\.version.changes).sorted() == [1, 2])
  }

  @Test func countsBeyondAllReasonAreStillSums() throws {
    var trace = LedgerFixture.trace(1)
    var totals = trace.states[0].totals
    (totals.drops, totals.uncommitted, totals.lostImages) = (.max, .max, .max)
    (totals.unreadableSegments, totals.seconds) = (.max, .nan)
    trace.states[0].totals = totals
    try fixture.count([trace])
    try fixture.count([trace])
    #expect(try fixture.due().first?.state().totals.runs == 2)
  }

  /// Each process may call a million functions, if it claims that there are more.
  @Test func aRowThatNobodyWouldReadIsNotMade() throws {
    let half = UInt32(TraceLimits.firstCalls)
    func trace(_ run: Int, from first: UInt32) -> CountedProcess {
      LedgerFixture.trace(run, calls: Array(first..<first + half), guards: TraceLimits.guards)
    }
    #expect(try fixture.count([trace(1, from: 0)]).isEmpty)
    let lost = try fixture.count([trace(2, from: half)])
    #expect(lost.map(\.runs) == [1])
    let row = try #require(try fixture.due().first).state()
    #expect(row.version.changes == 1 && row.totals.runs == 1)
    // The others of the build are counted on.
    #expect(try fixture.count([LedgerFixture.trace(3, guards: TraceLimits.guards)]).isEmpty)
    #expect(try fixture.due().first?.state().totals.runs == 2)
  }
}

extension [SeriesState] {
  /// All rows of a ledger.
  init(stored database: Database) throws {
    self = try Data.fetchAll(database, sql: "SELECT data FROM state_data ORDER BY id").map {
      try $0.withUnsafeBytes { try SeriesState(decoding: $0) }
    }
  }
}
