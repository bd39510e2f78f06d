import FleetModel
import Testing

/// What the versions of rows say of their histories.
@Suite struct RowVersionTests {
  private static func version(_ changes: UInt64, _ mark: UInt32) -> RowVersion {
    RowVersion(changes: changes, mark: mark)
  }

  @Test func changesOrderAndMarksDistinguish() {
    let version = Self.version(7, 0xab_cdef)
    #expect(version.changes == 7 && version.mark == 0xab_cdef)
    #expect(version < 8 && version > 7 && version != Self.version(7, 1))
    #expect(RowVersion.none < 1 && RowVersion.none.changes == 0)
  }

  @Test func contentsGiveTheMark() {
    let marks = (0..<1000).map { RowVersion.mark(of: [UInt8($0 % 256), UInt8($0 / 256)]) }
    #expect(Set(marks).count > 995 && !marks.contains(0))
    #expect(marks.allSatisfy { $0 < 1 << 24 })
    #expect(RowVersion.mark(of: [1, 2]) == RowVersion.mark(of: [1, 2]))
  }

  @Test(arguments: [
    (version(2, 5), nil, RowVersion.none, RowVersion.Relation.newer),
    // The one that it follows, itself, and one of another copy.
    (version(2, 5), version(1, 4), version(1, 4), .newer),
    (version(2, 5), version(2, 5), version(1, 4), .known),
    (version(2, 5), version(1, 6), version(1, 4), .foreign),
    (version(2, 5), version(2, 6), version(1, 4), .foreign),
    (version(9, 5), version(3, 6), version(1, 4), .foreign),
    // Earlier states of the same life, and a later one.
    (version(2, 5), version(1, 0), version(1, 4), .newer),
    (version(2, 5), version(2, 0), version(1, 4), .newer),
    (version(2, 5), version(3, 0), version(1, 4), .known),
    // A life that has ended.
    (version(2, 0), version(1, 4), .none, .newer),
    (version(2, 0), version(2, 4), .none, .known),
    (version(2, 0), version(3, 4), .none, .known),
  ])
  func aRowIsTakenIfItContainsWhatIsThere(
    sent: RowVersion, stored: RowVersion?, follows: RowVersion, expected: RowVersion.Relation
  ) {
    #expect(sent.relation(to: stored, follows: follows) == expected)
  }
}
