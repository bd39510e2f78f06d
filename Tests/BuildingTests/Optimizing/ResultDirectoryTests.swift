import Building
import FirstlightModel
import Foundation
import TestSupport
import Testing

@Suite struct ResultDirectoryTests {
  @Test func resultsLieWhereLinkerFlagsCanNameThem() throws {
    let directory = try TemporaryDirectory()
    let results = try ResultDirectory(directory.path("out"), program: "a/program")
    #expect(results.files.after == directory.path("out/after/program"))
    #expect(directory.entries == ["out"])
    // Git sees nothing of it, and a directory of the user's stays as it is.
    try Command.check(["git", "init", "-q"], in: directory.url)
    #expect(try Command.check(["git", "status", "--short"], in: directory.url) == "")
    let own = try directory.write("", to: "own/file")
    _ = try ResultDirectory(directory.path("own"), program: "program")
    #expect(try Command.check(["git", "status", "--short"], in: directory.url) == "?? own/\n")
    #expect(!FileManager.default.fileExists(atPath: own.replacing("file", with: ".gitignore")))
    let failure = #expect(throws: Failure.self) {
      try ResultDirectory(directory.path("with,comma"), program: "program")
    }
    #expect(failure?.kind == .usage)
  }

  /// lld replaces each % of an output's path.
  @Test func theLinkersMapLiesInAnyFolder() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write("int main(void) { return 0; }", to: "main.c")
    for folder in ["plain", "100%d %", "%s"] {
      let results = try ResultDirectory(directory.path(folder), program: "program")
      try Command.check(
        ["clang", "-fuse-ld=lld", "-Wl,-Map=\(results.linkedMap)", source, "-o", "program"],
        in: directory.url)
      #expect(try String(contentsOfFile: results.map, encoding: .utf8).contains(" main\n"))
    }
  }
}
