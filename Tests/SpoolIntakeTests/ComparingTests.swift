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
    let samples = try fixture.samples()
    _ = try fixture.settle { $0.samples = samples }
    let rows = try fixture.rows()
    #expect(rows.map(\.acknowledged) == rows.map(\.version))
    #expect(try fixture.ledger.compared(rows.map { ($0, $0.version) }) == Comparison())
    let program = try #require(rows.first { $0.key.build == LedgerFixture.program })
    #expect(try fixture.ledger.compared([(program, nil)]).again == 1)
    try fixture.reopen()
    #expect(try fixture.due().map(\.key) == [program.key])
    #expect(try fixture.samples().map(\.id) == samples.map(\.id))
    // If it is refused then, nothing is lost that was not there before.
    let row = try fixture.due()[0]
    #expect(try fixture.settle { $0.refused = [(row, "dropped")] }.map(\.runs) == [0])
  }

  /// Those of earlier lives do not change, so a receiver that has later ones has them from this ledger.
  @Test func laterVersionsOfAnEarlierLifeContainItsRows() throws {
    try fixture.count([LedgerFixture.trace(1)])
    try fixture.deliver()
    try fixture.count([LedgerFixture.trace(2)])
    try fixture.reopen()
    let row = try #require(try fixture.rows().first)
    #expect(row.version == 2 && row.acknowledged == 1)
    let later = RowVersion(changes: 5, mark: 9)
    #expect(try fixture.ledger.compared([(row, later)]) == Comparison())
    #expect(try fixture.due(.atOnce).isEmpty)
    // A store that was put back lacks them.
    let known = try #require(try fixture.rows().first)
    #expect(try fixture.ledger.compared([(known, 1)]).again == 1)
    #expect(try fixture.due().map(\.version) == [2])
  }

  @Test func anotherVersionOfTheCurrentLifeIsAnotherCopys() throws {
    try fixture.count([LedgerFixture.trace(1)])
    try fixture.deliver()
    try fixture.count([LedgerFixture.trace(2)])
    let row = try #require(try fixture.rows().first)
    for changes in [1, 2, 3] as [UInt64] {
      let other = RowVersion(changes: changes, mark: row.version.mark ^ 1)
      #expect(try fixture.ledger.compared([(row, other)]).isForeign)
    }
    // A copy that has begun a life of its own sends what it found.
    #expect(try !fixture.ledger.compared([(row, 2)]).isForeign)
  }

  @Test func labelsComeBackAsTheyWere() throws {
    for pairs: [TextBytes: String] in [
      [:], ["version": "1.2"], ["a": "x", "b": "y", "version": "é"], ["region": "eu"],
    ] {
      let labels = try FleetLabels(pairs)
      #expect(IntakeLedger.labels(IntakeLedger.text(labels)) == labels)
    }
  }
}
