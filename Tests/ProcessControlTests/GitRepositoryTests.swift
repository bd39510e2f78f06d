import Foundation
import ProcessControl
import TestSupport
import Testing

@Suite struct GitRepositoryTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try Command.check(["git", "init", "-q", "."], in: directory.url)
  }

  private func commit(_ text: String, to names: String...) throws {
    for name in names { try directory.write(text, to: name) }
    for words in [
      ["add", "-A"],
      [
        "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "a",
        "--date", "2026-08-01T12:00:00Z",
      ],
    ] { try Command.check(["git"] + words, in: directory.url) }
  }

  private func changes(of lines: Set<Int>, in name: String) -> [Int: Double] {
    GitRepository(at: directory.url.path).changes(of: lines, in: directory.path(name))
  }

  @Test(arguments: ["\n", "\r\n"]) func changesOfAllLinesAreFound(end: String) throws {
    try commit(["a", "b", "c", ""].joined(separator: end), to: "list.c")
    #expect(changes(of: [1, 3], in: "list.c") == [1: 1_785_585_600, 3: 1_785_585_600])
  }

  /// The configuration of a stranger's repository may name programs.
  @Test func commandsOfTheRepositoryDoNotRun() throws {
    try commit("int a;\n", to: "one.c", "two.c")
    let marker = directory.path("ran")
    let command = "touch \(marker); cat"
    for setting in [
      ("core.fsmonitor", command), ("diff.c.textconv", command), ("diff.external", command),
      ("filter.a.c.clean", command), ("filter.x.process", command),
    ] { try Command.check(["git", "config", setting.0, setting.1], in: directory.url) }
    let attributes = "one.c diff=c filter=a.c\ntwo.c diff=c filter=x\n"
    try attributes.write(
      toFile: directory.path(".git/info/attributes"), atomically: true, encoding: .utf8)
    // Later than the index, so that git has to read them.
    for name in ["one.c", "two.c"] { try directory.write("int a;\nint b;\n", to: name) }
    for name in ["one.c", "two.c"] { #expect(changes(of: [1], in: name).count == 1) }
    #expect(!FileManager.default.fileExists(atPath: marker))
  }

  /// Read as text, the name would be another one, and the filter would run.
  @Test func aFilterWhoseNameIsNoTextDoesNotRun() throws {
    try commit("int a;\n", to: "one.c")
    let marker = directory.path("ran")
    try Command.check(
      [
        "sh", "-c",
        #"printf '[filter "b\377"]\n\tclean = "touch %s; cat"\n' "$0" >> .git/config; "#
          + #"printf 'one.c filter=b\377\n' > .git/info/attributes"#, marker,
      ], in: directory.url)
    try directory.write("int a;\nint b;\n", to: "one.c")
    #expect(changes(of: [1], in: "one.c").isEmpty)
    #expect(!FileManager.default.fileExists(atPath: marker))
  }

  /// The separators of a shell beside marks that make other characters of them.
  @Test func namesOfFilesAreNoCommands() throws {
    let name = "a'\u{301}$(touch pwned)'\u{301}.c"
    try commit("int a;\n", to: name)
    #expect(changes(of: [1], in: name).count == 1)
    for folder in [directory.url.path, FileManager.default.currentDirectoryPath] {
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/pwned"))
    }
  }
}
