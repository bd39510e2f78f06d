import Foundation
import ProcessControl
import TestSupport
import Testing

@Suite struct GitRepositoryTests {
  /// In Swift, a carriage return before a line feed is one character with it.
  @Test(arguments: ["\n", "\r\n"]) func changesOfAllLinesAreFound(end: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write(["a", "b", "c", ""].joined(separator: end), to: "list.c")
    for words in [
      ["init", "-q", "."], ["add", "list.c"],
      [
        "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "a",
        "--date", "2026-08-01T12:00:00Z",
      ],
    ] { try Command.check(["git"] + words, in: directory.url) }
    let path = directory.path("list.c")
    let times = GitRepository(at: directory.url.path).changes(of: [1, 3], in: path)
    #expect(times == [1: 1_785_585_600, 3: 1_785_585_600])
  }
}
