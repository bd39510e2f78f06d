import FirstlightModel
import Testing

/// How users name builds.
@Suite struct BuildIDTests {
  private static func named(_ digits: String, _ ids: String...) -> Set<String> {
    Set(BuildID.named(digits, among: ids.compactMap { BuildID($0) }).map(\.description))
  }

  private static let whole = "4f2a91c0d3e5aabbccddeeff0011223344556677"

  @Test func theFirstDigitsNameABuild() {
    #expect(Self.named("4f2a", Self.whole, "5f2a") == [Self.whole])
    #expect(Self.named("4f", Self.whole, "4faa") == [Self.whole, "4faa"])
    #expect(Self.named("6f", Self.whole).isEmpty)
    #expect(Self.named("file-4f", "file-4f2a", "4f2a") == ["file-4f2a"])
  }

  /// An id that is just what lists show of another one.
  @Test func aShortFormNamesAllThatBeginWithIt() {
    let short = String(Self.whole.prefix(12))
    #expect(BuildID(Self.whole)?.short == short)
    #expect(Self.named(short, Self.whole, short) == [Self.whole, short])
    let file = "file-" + Self.whole
    #expect(Self.named("file-" + short, file, "file-" + short) == [file, "file-" + short])
  }

  @Test func aWholeIdNamesNoLongerOne() {
    #expect(Self.named(Self.whole, Self.whole, Self.whole + "00") == [Self.whole])
  }
}
