import FirstlightModel
import Foundation
import Testing

/// `é` as one scalar, and as a letter with an accent.
private let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")

@Suite struct TextBytesTests {
  @Test func canonicallyEqualTextsAreTwoKeys() {
    #expect(TextBytes(composed) != TextBytes(decomposed))
    var numbers: [TextBytes: Int] = [:]
    numbers[composed] = 1
    numbers[decomposed, default: 5] += 1
    #expect(numbers[composed] == 1 && numbers[decomposed] == 6)
    var names = Set(texts: [composed])
    #expect(names.insert(decomposed).inserted && !names.insert(composed).inserted)
    #expect(names.count == 2 && names.contains(composed) && !names.contains("cafe"))
  }

  @Test func aWrappedPropertyIsComparedByBytes() throws {
    struct Entry: Hashable, Codable {
      @TextBytes var name: String
      var line: Int
    }
    let entry = Entry(name: composed, line: 1)
    #expect(entry != Entry(name: decomposed, line: 1) && entry.name == composed)
    let json = try JSONEncoder().encode(["name": entry])
    #expect(try JSONDecoder().decode([String: Entry].self, from: json)["name"] == entry)
    let plain = try JSONDecoder().decode(
      Entry.self, from: Data(#"{"name": "main", "line": 3}"#.utf8))
    #expect(plain == Entry(name: "main", line: 3))
  }

  @Test func aDictionaryIsAnObjectInJSON() throws {
    let numbers: [TextBytes: Int] = ["a": 1]
    #expect(String(decoding: try JSONEncoder().encode(numbers), as: UTF8.self) == #"{"a":1}"#)
  }

  /// Oracle: the order of bytes, which SQLite and `LC_ALL=C sort` have.
  @Test func theOrderIsThatOfBytes() {
    let texts = [
      "\u{301}a", "b", "", "a", composed, decomposed, "ab", "\u{fb01}", "\u{1f600}", "z",
    ]
    let sorted = texts.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    #expect(texts.sortedByBytes().map { Array($0.utf8) } == sorted.map { Array($0.utf8) })
    #expect(texts.map { TextBytes($0) }.sorted() == sorted.map { TextBytes($0) })
  }
}
