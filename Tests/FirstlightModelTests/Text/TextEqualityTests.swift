import FirstlightModel
import Testing

/// `é` as one scalar, and as a letter with an accent.
private let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")

/// Each form of `==` that the standard library would answer by canonical equality.
@Suite struct TextEqualityTests {
  @Test func textsAreEqualByTheirBytes() {
    let (first, second): (String, String) = (composed, decomposed)
    #expect(!(first == second) && first != second && first == "caf\u{e9}")
    #expect(!(first[...] == second[...]) && first[...] != second[...])
    #expect(!(first == second[...]) && first[...] != second && first[...] == first)
    // The Greek question mark and the Kelvin sign.
    #expect("\u{37e}" != ";" && "\u{212a}" != "K" && "" == "".dropFirst())
  }

  @Test func optionalTextsAreEqualByTheirBytes() {
    let (first, second): (String?, String?) = (composed, decomposed)
    #expect(!(first == second) && first != second && first == first && first != nil)
    #expect(!(first == decomposed) && decomposed != first && composed == first)
    let part: Substring? = composed[...]
    #expect(part != decomposed[...] && part == composed[...])
  }

  @Test func listsHoldTextsByTheirBytes() {
    #expect([composed] != [decomposed] && !([composed] == [decomposed]) && [composed] == [composed])
    let texts = [decomposed, composed, decomposed]
    #expect(texts.firstIndex(of: composed) == 1 && texts.lastIndex(of: composed) == 1)
    #expect(!texts.dropFirst(2).contains(composed) && texts.contains(composed))
  }

  @Test func patternsMatchTexts() {
    func number(_ text: String?) -> Int {
      switch text {
      case decomposed: 1
      case composed: 2
      case nil: 3
      default: 4
      }
    }
    #expect([composed, decomposed, nil, "cafe"].map(number) == [2, 1, 3, 4])
    switch composed[...] {
    case "cafe\u{301}": Issue.record("another name")
    default: break
    }
    switch ";" as String {
    case "\u{37e}": Issue.record("another character")
    default: break
    }
  }

  @Test func typesWithTextsAreEqualByTheirBytes() {
    struct Key: Hashable {
      var name: String
      var file: String?
    }
    let keys: Set<Key> = [
      Key(name: composed), Key(name: decomposed), Key(name: "", file: composed),
      Key(name: "", file: decomposed),
    ]
    #expect(keys.count == 4 && Key(name: composed) == Key(name: composed))
  }
}
