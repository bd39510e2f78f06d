import Foundation
import TestSupport
import Testing

/// From `test` in a small make project to a verified patch.
@Suite(.serialized, .tags(.compiler)) struct MakePruneTests {
  /// Compiles, links and strips in one call, as small programs do, with gcc.
  private static let oneCall = [
    "Makefile": """
    CC = gcc
    all: check
    check: code.c check.c
    \t$(CC) -s -o check code.c check.c
    test: check
    \t./check
    clean:
    \trm -f check

    """,
    "check.c": "#include \"code.h\"\nint main(void) { return used(1) - 2; }\n",
    "code.h": "int used(int);\n/* Old. */\nint unused(int);\n",
    "code.c": """
    #include "code.h"
    int used(int x) { return x + 1; }

    static int helper(int x) {
      return x * 2;
    }

    /* Old. */
    int unused(int x) {
      return helper(x);
    }

    """,
  ]

  /// A PATH with Swift's clang that refuses to index, as LLVM's own.
  private func pathOfClangWithoutIndex(in directory: TemporaryDirectory) throws -> String {
    let clang = try Command.check(["sh", "-c", "command -v clang"]).prefix { $0 != "\n" }
    try ProgramFile.script(
      """
      #!/bin/sh
      case " $* " in *" -index-store-path "*) exit 1 ;; esac
      exec '\(clang)' "$@"

      """, at: directory.path("clang"))
    return "\(directory.url.path):\(Toolchain.path)"
  }

  @Test(arguments: [("gcc", true), ("clang", true), ("clang", false)])
  func aMakeProjectIsPrunedWithoutFurtherFlags(compiler: String, clangIndexes: Bool) throws {
    let (directory, tools) = (try TemporaryDirectory(), try TemporaryDirectory())
    for (name, text) in Self.oneCall { try directory.write(text, to: name) }
    let environment =
      clangIndexes ? [:] : ["PATH": try pathOfClangWithoutIndex(in: tools)]
    func firstlight(_ words: String...) throws -> CommandResult {
      try Command.run(
        [Toolchain.firstlight] + words, in: directory.url, environment: environment)
    }
    func test() throws {
      let result = try firstlight(
        "test", "--build", "make CC=\(compiler) clean all", "--run", "make CC=\(compiler) test")
      try #require(result.status == 0, "\(result.errors)")
    }
    try test()
    #expect(
      FileManager.default.fileExists(atPath: directory.path(".build-firstlight/index-store"))
        == (clangIndexes && compiler == "clang"))
    // What the first build left is not of this source.
    let code = try #require(Self.oneCall["code.c"])
    try directory.write("\n" + code, to: "code.c")
    try test()

    let dead = try firstlight("dead", "--deletable", "--format", "github-actions")
    #expect(dead.status == 0, "\(dead.errors)")
    let places = dead.output.matches(of: /file=(.*),title=/).map(\.1)
    #expect(places == ["code.c,line=10", "code.c,line=5"], "\(dead.output)")
    let prune = try firstlight("prune", "--verify", "-o", "prune.diff")
    #expect(prune.status == 0, "\(prune.errors)")
    #expect(prune.errors.contains("removes 2 functions") && prune.errors.contains("in 1 run"))
    try Command.check(["git", "apply", "prune.diff"], in: directory.url)
    let left = try ["code.h", "code.c"].map {
      try String(contentsOfFile: directory.path($0), encoding: .utf8)
    }
    #expect(left[0] == "int used(int);\n")
    #expect(left[1] == "\n#include \"code.h\"\nint used(int x) { return x + 1; }\n")

    try test()
    for words in [["dead", "--deletable"], ["prune"]] {
      let none = try Command.run([Toolchain.firstlight] + words, in: directory.url)
      #expect(none.status == 0)
      #expect((none.output + none.errors).contains("nothing can be deleted: no never-called"))
    }
  }
}
