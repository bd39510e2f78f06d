import FirstlightModel
import FleetModel
import Foundation
import TestSupport
import Testing

@testable import SpoolIntake

/// What a ledger does about the versions that its receiver has.
@Suite struct ComparingTests {
  private let fixture: LedgerFixture

  init() throws { fixture = try LedgerFixture() }

  @Test func whatTheReceiverLacksIsSentAgain() throws {
    try fixture.count([
      LedgerFixture.trace(1, ordered: true), LedgerFixture.trace(2, of: LedgerFixture.library),
    ])
    try fixture.deliver()
    let samples = try fixture.ledger.waitingSamples(upTo: .max)
    _ = try fixture.settle { $0.samples = samples }
    let rows = try fixture.ledger.rowsToCompare(after: 0)
    #expect(rows.map(\.acknowledged) == [1, 1])
    #expect(try fixture.ledger.sendAgain(rows.map { ($0, 1) }) == 0)
    let program = try #require(rows.first { $0.key.build == LedgerFixture.program })
    #expect(try fixture.ledger.sendAgain([(program, 0)]) == 1)
    try fixture.reopen()
    #expect(try fixture.due().map(\.key) == [program.key])
    #expect(try fixture.ledger.waitingSamples(upTo: .max).map(\.id) == samples.map(\.id))
    // If it is refused then, nothing is lost that was not there before.
    let row = try fixture.due()[0]
    #expect(try fixture.settle { $0.refused = [(row, "dropped")] }.map(\.runs) == [0])
  }

  /// Until the comparison what counts is what was there when the ledger was opened: counting goes on
  /// meanwhile.
  @Test func versionsAreThoseOfTheOpeningUntilTheyWereCompared() throws {
    try fixture.count([LedgerFixture.trace(1)])
    try fixture.count([LedgerFixture.trace(2)])
    try fixture.reopen()
    try fixture.count((3...5).map { LedgerFixture.trace($0) })
    try fixture.count([LedgerFixture.trace(6, of: LedgerFixture.library)])
    #expect(fixture.ledger.needsComparison)
    #expect(try fixture.ledger.rowsToCompare(after: 0).map(\.latest) == [2, 0])
    try fixture.ledger.wasCompared()
    #expect(!fixture.ledger.needsComparison)
    #expect(try fixture.ledger.rowsToCompare(after: 0).map(\.latest) == [3, 1])
  }

  @Test func aNewBeginningHasAnotherSecretAndNoRows() throws {
    try fixture.count([LedgerFixture.trace(1, ordered: true), LedgerFixture.trace(2)])
    try fixture.deliver()
    try fixture.count((3...6).map { LedgerFixture.trace($0) })
    let secret = try fixture.ledger.secret()
    let sent = try fixture.due(.atOnce)
    #expect(try fixture.ledger.startAnew() == 4)
    try fixture.reopen()
    #expect(try fixture.ledger.secret() != secret)
    #expect(try fixture.ledger.rowsToCompare(after: 0).isEmpty)
    #expect(try fixture.ledger.waitingSamples(upTo: .max).isEmpty)
    // An answer to what was sent before says nothing of what comes.
    try fixture.count([LedgerFixture.trace(7)])
    _ = try fixture.settle { $0.taken = sent }
    #expect(try fixture.deliver().map(\.version) == [1])
  }

  @Test func secretsStayAndDiffer() throws {
    let secret = try fixture.ledger.secret()
    try fixture.reopen()
    #expect(try fixture.ledger.secret() == secret)
    let other = try LedgerFixture()
    #expect(try other.ledger.secret() != secret)
  }

  @Test func labelsComeBackAsTheyWere() throws {
    for pairs in [[:], ["version": "1.2"], ["a": "x", "b": "y", "version": "é"], ["region": "eu"]] {
      let labels = try FleetLabels(pairs)
      #expect(IntakeLedger.labels(IntakeLedger.text(labels)) == labels)
    }
  }
}
