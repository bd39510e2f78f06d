import FirstlightModel
import FleetModel
import Foundation
import TestSupport
import Testing

@testable import SpoolIntake

/// What tells the histories of a ledger's copies apart.
@Suite struct LedgerLifeTests {
  private let fixture: LedgerFixture

  init() throws { fixture = try LedgerFixture() }

  private func secrets() throws -> [LedgerSecret] {
    var secrets: [LedgerSecret] = []
    var last: Int64 = 0
    while let page = try fixture.ledger.rowsToCompare(after: last) {
      secrets.append(page.secret)
      last = page.rows.last?.id ?? .max
    }
    return secrets
  }

  @Test func eachOpeningCountsUnderASecretOfItsOwn() throws {
    for run in 1...3 {
      // A daemon that counts nothing leaves no trace.
      try fixture.reopen()
      try fixture.reopen()
      try fixture.count([LedgerFixture.trace(run)])
      try fixture.count([LedgerFixture.trace(10 + run)])
    }
    #expect(Set(try secrets()).count == 3)
    let rows = try fixture.due()
    #expect(try rows.map { try $0.state().totals.runs } == [2, 2, 2])
    // All copies of the ledger send the rows of earlier lives as they are.
    #expect(rows.map(\.version.mark).map { $0 == 0 } == [true, true, false])
  }

  @Test func copiesSendTheSameRowsOfTheLifeThatTheyFound() throws {
    try fixture.count([LedgerFixture.trace(1)])
    try fixture.deliver()
    try fixture.count([LedgerFixture.trace(2)])
    let original = try fixture.due(.atOnce)
    let copy = try fixture.copy()
    try copy.count([LedgerFixture.trace(3)])
    let rows = try copy.due(.atOnce)
    #expect(rows.count == 2)
    #expect(rows[0].bytes == original[0].bytes && rows[0].version == 2)
    #expect(try rows[1].state().totals.runs == 1)
    // The original is not disturbed.
    try fixture.count([LedgerFixture.trace(4)])
    #expect(
      try fixture.due(.atOnce)[0].state().version.relation(
        to: rows[0].version, follows: original[0].follows) == .newer)
  }

  @Test func whatWasCountedSinceMovesToANewLife() throws {
    try fixture.count([LedgerFixture.trace(1, calls: [1, 2], new: [1]), LedgerFixture.trace(2)])
    try fixture.deliver()
    try fixture.count([LedgerFixture.trace(3, calls: [2, 5], new: [5])])
    try fixture.count([LedgerFixture.trace(4, of: LedgerFixture.library)])
    #expect(try fixture.ledger.beginNewLife() == 2)
    let rows = try fixture.due()
    #expect(rows.map(\.follows) == [.none, .none])
    let moved = try #require(
      try rows.first { $0.key.build == LedgerFixture.program }?.state())
    #expect(moved.totals.runs == 1 && moved.totals.processes == 1 && moved.totals.seconds == 1)
    #expect(
      moved.sums.called.map { [Int($0.0), $0.1.runs, $0.1.hosts] } == [[2, 1, 0], [5, 1, 1]])
    // What the receiver has stays where it was.
    let kept = try #require(try fixture.rows().first { !$0.isCurrent })
    #expect(kept.version == 1 && kept.acknowledged == 1)
    #expect(try fixture.ledger.compared([(kept, nil)]).again == 1)
    let again = try #require(try fixture.due().first { $0.id == kept.id }).state()
    #expect(again.totals.runs == 2 && again.sums.called.map { Int($0.0) } == [1, 2])
    // Once more there is nothing to move but that.
    #expect(try fixture.ledger.beginNewLife() == 2)
  }

  @Test func aRowThatCountsOnWhileItIsSentKeepsWhatWasSent() throws {
    try fixture.count([LedgerFixture.trace(1)])
    let sent = try fixture.due()
    try fixture.count([LedgerFixture.trace(2)])
    _ = try fixture.settle { $0.taken = sent }
    #expect(try fixture.ledger.beginNewLife() == 1)
    #expect(try fixture.due().map { try $0.state().totals.runs } == [1])
  }

  @Test func anotherHostHasCalledNoFunctionBefore() throws {
    var step = IntakeStep()
    step.hostCounts = [LedgerFixture.program: GuardSet([1])]
    try fixture.ledger.belongs(to: "host")
    try fixture.ledger.add(step)
    try fixture.ledger.belongs(to: "host")
    #expect(try fixture.ledger.hostCounts().builds.count == 1)
    try fixture.ledger.belongs(to: "another")
    #expect(try fixture.ledger.hostCounts().builds.isEmpty)
  }
}
