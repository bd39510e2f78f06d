import Foundation
import TestSupport
import Testing
import TextFormatting

/// Changes between two texts of a file, as git applies them.
@Suite struct FileChangeTests {
  private func applied(_ old: String, _ new: String) throws -> String {
    let directory = try TemporaryDirectory()
    let file = try directory.write(old, to: "a.txt")
    let change = FileChange(path: "a.txt", from: Array(old.utf8), to: Array(new.utf8))
    #expect(change.result == Array(new.utf8))
    guard !change.isEmpty else { return old }
    let patch = try directory.write(
      String(decoding: UnifiedDiff.bytes([change]), as: UTF8.self), to: "p.diff")
    try Command.check(["git", "apply", "--whitespace=nowarn", patch], in: directory.url)
    return try String(contentsOfFile: file, encoding: .utf8)
  }

  @Test func linesComeAtTheStartTheEndAndBetween() throws {
    for (old, new) in [
      ("b\n", "a\nb\n"), ("a\n", "a\nb\n"), ("a\nc\n", "a\nb\nc\n"), ("a", "a\nb\n"),
      ("a\nb\n", "a\nb"), ("a\n", "a\n"),
    ] {
      #expect(try applied(old, new) == new)
    }
  }

  @Test func anyChangeIsApplied() throws {
    var random = SplitMix64(state: 7)
    for _ in 0..<40 {
      let old = (0..<30).map { "line \($0)\n" }
      var new: [String] = []
      for line in old {
        if random.next() % 9 == 0 { new.append("new \(random.next() % 3)\n") }
        if random.next() % 7 != 0 { new.append(line) }
      }
      #expect(try applied(old.joined(), new.joined()) == new.joined())
    }
  }

  @Test func countsAreThoseOfThePatch() {
    let change = FileChange(
      path: "a", from: Array("a\nb\nc\n".utf8), to: Array("a\nx\ny\nc\n".utf8))
    #expect(change.lineCounts == (1, 2))
  }
}
