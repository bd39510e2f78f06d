import FirstlightModel
import Testing

/// U+0301 joins the character before it, U+0600 the one behind it.
private let mark = "\u{301}"
private let prepended = "\u{600}"

@Suite struct TextSearchTests {
  @Test func separatorsAreFoundBesideMarks() {
    #expect(
      "a,\(mark)b\(prepended),c".split(at: ",").map(bytes)
        == ["a", "\(mark)b\(prepended)", "c"].map(bytes))
    #expect("\(prepended)<".containsUTF8("<") && "/\(mark)".begins(with: "/"))
    #expect("x\(prepended)>".ends(with: ">") && !"x>\(mark)".ends(with: ">"))
    #expect("a=\(mark)=b".cut(at: "=").map { bytes($0.behind) } == bytes("\(mark)=b"))
    #expect("a/b/\(mark)".cutLast(at: "/").map { bytes($0.before) } == bytes("a/b"))
    #expect(bytes("a\"\(mark)".replacing(utf8: "\"", with: "-")) == bytes("a-\(mark)"))
  }

  /// Three ASCII characters are canonically equal to others.
  @Test(arguments: ["\u{37e}", "\u{1fef}", "\u{212a}"])
  func nothingElseIsAnASCIICharacter(text: String) {
    for ascii in [";", "`", "K"] {
      #expect(!text.containsUTF8(ascii) && text.split(at: ascii).count == 1)
    }
  }

  @Test(arguments: [
    ("", [""]), ("a", ["a"]), ("a\nb\n", ["a", "b", ""]), ("a\r\nb\r\n", ["a", "b", ""]),
    ("a\r\n\r\nb", ["a", "", "b"]), ("a\u{c}\u{2028}b\n", ["a\u{c}\u{2028}b", ""]),
    ("\r\n", ["", ""]),
    ("a\rb\n", ["a\rb", ""]), ("\(mark)\n\(mark)", [mark, mark]),
  ])
  func linesEndWithLFOrCRLF(text: String, lines: [String]) {
    #expect(text.lines.map(bytes) == lines.map(bytes))
  }

  /// Oracle: the standard library, which works the same on ASCII.
  @Test func asciiIsSplitLikeCharacters() {
    for text in ["", ",", ",,", "a", "a,", ",a", "a,b,,c,", "ab,,,c"] {
      for most in [0, 1, 2, .max] {
        for omitting in [true, false] {
          #expect(
            text.split(at: ",", maxSplits: most, omittingEmpty: omitting)
              == text.split(separator: ",", maxSplits: most, omittingEmptySubsequences: omitting))
        }
      }
      #expect(
        text.split(at: ",,", omittingEmpty: false)
          == text.split(separator: ",,", omittingEmptySubsequences: false))
      #expect(text.firstIndex(ofUTF8: ",") == text.firstIndex(of: ","))
      #expect(text.lastIndex(ofUTF8: ",") == text.lastIndex(of: ","))
      #expect(text.prefix(upToAny: ",b") == text.prefix { $0 != "," && $0 != "b" })
      #expect(text.drop(any: ",a") == text.drop { $0 == "," || $0 == "a" })
    }
  }

  @Test func wordsAndEndsAreTakenOff() {
    #expect(" \ta  b\tc\r\n".words == ["a", "b", "c"])
    #expect(" \ta b \r\n".trimmed == "a b" && "".trimmed == "" && "\r\n".trimmed == "")
    #expect("int caf\u{e9}(x1, _y);".identifiers == ["int", "caf\u{e9}", "x1", "_y"])
    #expect("liba.so".removing(prefix: "lib") == "a.so" && "a".removing(prefix: "lib") == nil)
    #expect("liba.so".removing(suffix: ".so") == "liba" && "so".removing(suffix: ".so") == nil)
  }

  /// Slices keep the indices of their text.
  @Test func slicesAreSearched() throws {
    let text = "key: caf\u{e9}: value"
    let rest = try #require(text.cut(at: ": ")?.behind)
    #expect(rest.cut(at: ": ")?.behind == "value" && rest.lines == ["caf\u{e9}: value"])
    #expect(text[rest.startIndex...] == rest)
  }

  private func bytes(_ text: some StringProtocol) -> [UInt8] { Array(text.utf8) }
}
