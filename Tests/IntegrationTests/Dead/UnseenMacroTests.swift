import Foundation
import TestSupport
import Testing

/// Functions that only macros name, which are in none of the files that the program's debug information lists.
/// Each program calls `helper`, and its inlined copy leaves no record; `unused` is called by nothing.
@Suite(.tags(.compiler)) struct UnseenMacroTests {
  /// What a list has of a program, recorded by guards if clang builds it, else by breakpoints.
  private func listed(
    _ compiler: String, _ files: [String: String], _ options: [String] = [], removed: String? = nil
  ) throws -> Set<String> {
    let directory = try TemporaryDirectory()
    for (name, text) in files { try directory.write(text, to: name) }
    let (executable, profile) = (directory.path("program"), directory.path("run.flp"))
    let isClang = compiler == "clang"
    try Command.check(
      [compiler, "-g", "-O2", directory.path("main.c"), "-o", executable] + options
        + (isClang ? try Toolchain.flags("clang") : []), in: directory.url)
    if let removed { try FileManager.default.removeItem(atPath: directory.path(removed)) }
    try Command.check(
      [Toolchain.firstlight, "record", "-o", profile] + (isClang ? [] : ["--no-rebuild"])
        + ["--", executable], in: directory.url)
    return Set(try Answer.dead([profile]).functions.map(\.name))
  }

  private static func program(_ lines: String, calling call: String) -> String {
    """
    #include <stdio.h>
    \(lines)
    int helper(void) { return 7; }
    int unused(int x) { return x + 1; }
    int main(void) { printf("%d\\n", \(call)); return 0; }
    """
  }

  @Test(arguments: ["gcc", "clang"])
  func withoutMacrosTheListIsWhole(compiler: String) throws {
    let found = try listed(compiler, ["main.c": Self.program("", calling: "helper()")])
    #expect(found == ["unused"])
  }

  @Test(arguments: ["gcc", "clang"])
  func anOptionMayNameAFunction(compiler: String) throws {
    let found = try listed(
      compiler, ["main.c": Self.program("", calling: "HELP()")], ["-DHELP=helper"])
    #expect(!found.contains("helper"))
  }

  @Test(arguments: ["gcc", "clang"])
  func aBuildDescriptionShowsWhatAnOptionNames(compiler: String) throws {
    let files = [
      "main.c": Self.program("#ifndef HELP\n#define HELP getchar\n#endif", calling: "HELP()"),
      "Makefile": "CPPFLAGS += -DHELP=helper\n",
    ]
    #expect(try listed(compiler, files, ["-DHELP=helper"]) == ["unused"])
  }

  @Test(arguments: ["gcc", "clang"])
  func headersWithMacrosAloneAreRead(compiler: String) throws {
    let files = [
      "main.c": Self.program("#include \"a.h\"", calling: "HELP()"),
      "a.h": "#include \"sub/b.h\"\n", "sub/b.h": "#define HELP() helper()\n",
    ]
    #expect(try listed(compiler, files) == ["unused"])
    let forced = [
      "main.c": Self.program("", calling: "HELP()"), "b.h": "#define HELP() helper()\n",
    ]
    #expect(try listed(compiler, forced, ["-include", "b.h"]) == ["unused"])
  }

  @Test(arguments: ["gcc", "clang"])
  func aHeaderThatIsGoneMayHaveNamedAFunction(compiler: String) throws {
    let files = [
      "main.c": Self.program("#include \"a.h\"", calling: "help()"),
      "a.h": "#define help() helper()\n",
    ]
    #expect(try listed(compiler, files, removed: "a.h") == [])
  }

  @Test(arguments: ["gcc", "clang"])
  func namesAreFoundAsCompilersReadThem(compiler: String) throws {
    // A name on two lines, and one that an assembler's label stands for.
    let text = """
      #include <stdio.h>
      int helper(void) { return 7; }
      int renamed(void) __asm__("label");
      int renamed(void) { return 3; }
      \u{0C}
      int unused(int x) { return x + 1; }
      int main(void) { printf("%d\\n", hel\\
      per() + renamed()); return 0; }
      """
    #expect(try listed(compiler, ["main.c": text]) == ["unused"])
  }
}
