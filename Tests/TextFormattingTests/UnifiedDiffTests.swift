import Foundation
import TestSupport
import Testing
import TextFormatting

/// Patches are what git applies.
@Suite struct UnifiedDiffTests {
  /// Applies a patch that removes these texts, with git, and returns what is left; nil: no file.
  private func applied(
    _ source: String, without texts: [String], path: String = "a.txt", isDeleted: Bool = false
  ) throws -> String? {
    let directory = try TemporaryDirectory()
    let file = try directory.write(source, to: path)
    var ranges: [Range<Int>] = []
    for text in texts {
      let range = try #require(source.range(of: text))
      let first = source.utf8.distance(from: source.startIndex, to: range.lowerBound)
      ranges.append(first..<first + text.utf8.count)
    }
    let change = FileChange(
      path: path, source: Array(source.utf8), removed: ranges, isDeleted: isDeleted)
    let patch = try directory.write(
      String(decoding: UnifiedDiff.bytes([change]), as: UTF8.self), to: "patch.diff")
    try Command.check(["git", "apply", "--check", "--verbose", patch], in: directory.url)
    try Command.check(["git", "apply", "--whitespace=error-all", patch], in: directory.url)
    return try? String(contentsOfFile: file, encoding: .utf8)
  }

  private static let lines = (1...40).map { "line \($0)\n" }.joined()

  @Test func wholeLinesGo() throws {
    for texts in [
      ["line 1\n"], ["line 40\n"], ["line 5\n", "line 6\n"], ["line 5\n", "line 9\n", "line 30\n"],
      ["line 11\nline 12\nline 13\n", "line 20\n"],
    ] {
      let expected = texts.reduce(Self.lines) { $0.replacing($1, with: "") }
      #expect(try applied(Self.lines, without: texts) == expected)
    }
  }

  @Test func partsOfLinesGo() throws {
    #expect(
      try applied("a b c d\ne\n", without: [" b", " c"]) == "a d\ne\n")
    #expect(try applied("a b\nc d\ne\n", without: [" b\nc"]) == "a d\ne\n")
  }

  @Test func lineEndAtTheEndMayBeMissing() throws {
    #expect(try applied("a\nb", without: ["b"]) == "a\n")
    #expect(try applied("a\nb\nc", without: ["b\n"]) == "a\nc")
    #expect(try applied("a\nb\nc", without: ["\nc"]) == "a\nb")
  }

  @Test func carriageReturnsAndUnicodeStay() throws {
    let directory = try TemporaryDirectory()
    let source = "ä\r\nö\r\nü\r\n"
    let file = try directory.write(source, to: "a.txt")
    let change = FileChange(path: "a.txt", source: Array(source.utf8), removed: [4..<8])
    let patch = directory.path("p.diff")
    try Data(UnifiedDiff.bytes([change])).write(to: URL(fileURLWithPath: patch))
    try Command.check(["git", "apply", "--whitespace=nowarn", patch], in: directory.url)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "ä\r\nü\r\n")
  }

  @Test func filesAreDeleted() throws {
    #expect(try applied("a\nb\n", without: [], isDeleted: true) == nil)
    #expect(try applied("a\nb", without: [], isDeleted: true) == nil)
  }

  @Test func allOfAFileCanGo() throws {
    #expect(try applied("a\nb\n", without: ["a\nb\n"]) == "")
  }

  @Test func pathsMayHoldSpacesAndQuotes() throws {
    for path in ["folder/a b.txt", "a \"b\".txt", "a\\b.txt", "ä\tö.txt", "-a.txt"] {
      #expect(try applied("a\nb\n", without: ["b\n"], path: path) == "a\n", "\(path)")
    }
  }
}
