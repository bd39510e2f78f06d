import Testing

@testable import NeverCalled

/// What of a source is code. Compilers are the judges: clang's raw tokens, and swiftc's.
@Suite struct SourceTextTests {
  private func pieces(_ text: String, _ language: SourceLanguage) -> [String] {
    let source = SourceText(Array(text.utf8), language)
    return source.pieces.map { piece in
      let mark = piece.kind == .comment ? "c" : piece.kind == .literal ? "l" : "?"
      return mark + " " + String(decoding: source.bytes[piece.range], as: UTF8.self)
    }
  }

  @Test(arguments: [
    ("a // b \\\n c\nd", ["c // b \\\n c"]),
    ("/*/ \" */ \"/* \\\" //\" x", ["c /*/ \" */", "l \"/* \\\" //\""]),
    ("'\"' '\\'' x", ["l '\"'", "l '\\''"]), ("R\"x(\n)\" // )x\" y", ["l \"x(\n)\" // )x\""]),
    ("PRIuR\"(\" x", ["l \"(\""]), ("n = 1'000'000; // x", ["c // x"]),
    ("#if 0\nit's /* none\n#endif", ["l 's /* none"]), ("\"a \\\n b\" c", ["l \"a \\\n b\""]),
    ("/* never", ["? /* never"]),
  ])
  func piecesOfC(text: String, expected: [String]) {
    #expect(pieces(text, .c) == expected)
  }

  @Test(arguments: [
    ("/* a /* b */ c */ d", ["c /* a /* b */ c */"]),
    ("f(\"a\\(g(\")\"))b\") // c", ["l \"a\\(g(\")\"))b\"", "c // c"]),
    ("\"\"\"\n // \"a\"\n\"\"\" x", ["l \"\"\"\n // \"a\"\n\"\"\""]),
    ("#\"a\"b\\(c\"# d", ["l #\"a\"b\\(c\"#"]),
    ("#\"\"\"# // a", ["l #\"\"\"#", "c // a"]), ("a / b // c", ["c // c"]), ("a/b/c", []),
    ("r = /a\"[/]/; b", ["? /a\"[/]/; b"]), ("#/a//b/# // c", ["? #/a//b/# // c"]),
    ("it's // a", ["c // a"]),
    ("\"\"\" never\n", ["? \"\"\" never\n"]),
  ])
  func piecesOfSwift(text: String, expected: [String]) {
    #expect(pieces(text, .swift) == expected)
  }

  @Test func directivesAreThoseOfThePreprocessor() {
    let text =
      "/*\n#if 0\n*/\n # define A(x) \\\n  x##_b /* c\n d */ e\nchar *s = \"\\\n#if 1\";\n#endif"
    let source = SourceText(Array(text.utf8), .c)
    #expect(source.directives.map(\.word) == ["define", "endif"])
    #expect(source.directives.map { source.line(of: $0.range.lowerBound) } == [4, 9])
    #expect(source.line(of: source.directives[0].range.upperBound - 1) == 6)
    let swift = SourceText(Array("#if A\n#expect(x)\n  #endif".utf8), .swift)
    #expect(swift.directives.map(\.word) == ["if", "endif"])
  }

  @Test func continuedLinesKeepTheirNumbers() {
    let source = SourceText.joiningLines(of: "a\\\nb\nc\\\r\nd e\nf", .c)
    #expect(String(decoding: source.bytes, as: UTF8.self) == "ab\ncd e\nf")
    #expect([0, 1, 3, 4, 8].map(source.line) == [1, 2, 3, 4, 5])
  }

  @Test func codeOfALineHasNeitherCommentsNorLiterals() {
    let source = SourceText(Array("  f(\"x\", /* y */ 'z'); // w\n/* a\nb */ c".utf8), .c)
    #expect((1...3).map(source.code) == ["f(\"\",   \"\");", "", "c"])
  }
}
