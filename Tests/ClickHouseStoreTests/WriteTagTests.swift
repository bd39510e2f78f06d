import Testing

@testable import ClickHouseStore

@Suite struct WriteTagTests {
  private static let now = 1_790_000_000.25

  @Test func aTagTellsWhenItWasMade() {
    #expect(abs(WriteTag.seconds(of: WriteTag(at: Self.now).tag) - Self.now) < 1e-5)
    #expect(WriteTag(at: Self.now).tag < WriteTag(at: Self.now + 1).tag)
    #expect(WriteTag(at: -5).tag < 4096)
  }

  @Test func tagsOfOneMomentDiffer() {
    let tags = (0..<64).map { _ in WriteTag(at: Self.now).tag }
    #expect(Set(tags).count > 32)
    #expect(Set(tags.map { $0 >> 12 }).count == 1)
  }

  @Test func attemptsOfTheLastDayAreNotAbandoned() {
    let limit = WriteTag.abandoned(at: Self.now)
    #expect(WriteTag(at: Self.now - 86399).tag > limit)
    #expect(WriteTag(at: Self.now - 86401).tag < limit)
    // A clock before 1970, or in its first day.
    #expect(WriteTag.abandoned(at: -1) == 0)
    #expect(WriteTag.abandoned(at: 86399) == 0)
  }

  @Test func anAttemptThatJustBeganIsUnderWay() throws {
    try WriteTag(at: 0).check("server")
  }
}
