import Foundation
import Testing

@testable import DebugInfo

/// Whether debug information tells that code was optimised; the oracle is the compilers' options.
@Suite struct OptimisationTests {
  /// Optimisers remove the first two calls, and clang leaves no inline record of any.
  private static let source = """
    #include <stdio.h>
    #include <stdlib.h>
    static int state;
    void net_init(void) {}
    int *default_rng(void) { return &state; }
    int triple(int x) { return 3 * x; }
    int main(int argc, char **argv) {
      net_init();
      *default_rng() = argc;
      printf("%d %d %s\\n", state, triple(atoi("7")), argv[0]);
      return 0;
    }
    """

  private func isOptimised(_ words: [String], in tools: Toolbox) throws -> Bool {
    try tools.write(Self.source, to: "main.c")
    try tools.run(words + ["main.c", "-o", "program"])
    return try DebugImage(path: tools.path("program")).symbolBuild(recordedPath: "/p").isOptimised
  }

  @Test(
    arguments: ["gcc", "clang"],
    ["", "-O0", "-Og", "-O1", "-O2", "-O3", "-Os", "-O2 -O0", "-O0 -O"])
  func theLastOptionDecides(compiler: String, options: String) throws {
    let tools = try Toolbox()
    let words = options.split(separator: " ").map(String.init)
    let isExpected = words.last.map { $0 != "-O0" } ?? false
    for form in ["-gdwarf-4", "-gdwarf-5"] {
      #expect(try isOptimised([compiler, form] + words, in: tools) == isExpected, "\(form)")
    }
    let split = [compiler, "-g", "-gsplit-dwarf"] + words
    #expect(try isOptimised(split, in: tools) == isExpected)
  }

  /// Headers of C++ libraries have such functions, and compilers inline them into code that they do not optimise.
  @Test(arguments: ["gcc", "clang"], ["-O0", "-O2"])
  func whatIsAlwaysInlinedIsNoSignOfOptimisation(compiler: String, options: String) throws {
    let tools = try Toolbox()
    try tools.write(
      """
      static inline __attribute__((always_inline)) int twice(int x) { return 2 * x; }
      int main(int argc, char **argv) { return twice(argc) - (argv[0] != 0); }
      """, to: "inlined.c")
    try tools.run(compiler, "-gdwarf-5", options, "inlined.c", "-o", "program")
    let entries = try tools.run("objdump", "--dwarf=info", "program")
    try #require(entries.contains("DW_TAG_inlined_subroutine"))
    let image = try DebugImage(path: tools.path("program"))
    #expect(image.symbolBuild(recordedPath: "/p").isOptimised == (options == "-O2"))
  }

  /// What a unit does not tell is not taken for evidence.
  @Test(arguments: [
    ["clang", "-O2", "-gdwarf-3"], ["clang", "-O2", "-g1"],
    ["gcc", "-O2", "-g", "-gno-record-gcc-switches"],
  ])
  func unknownCodeCountsAsOptimised(words: [String]) throws {
    #expect(try isOptimised(words, in: Toolbox()))
  }

  @Test(arguments: ["gcc", "clang"])
  func assemblyAndDataAreNoOptimisedCode(compiler: String) throws {
    let tools = try Toolbox()
    try tools.write(".globl one\n.text\none: ret\n", to: "one.s")
    try tools.write("int two = 2;", to: "two.c")
    try tools.run([compiler, "-g", "-O2", "-c", "two.c"])
    #expect(try !isOptimised([compiler, "-g", "-O0", "one.s", "two.o"], in: tools))
  }

  /// musl's have debug information in Debian's package, and only call `main`.
  @Test func startFilesAreNoOptimisedCode() throws {
    let tools = try Toolbox()
    try FileManager.default.createDirectory(
      atPath: tools.path("crt"), withIntermediateDirectories: true)
    try tools.write("int begin(int x) { return x + 1; }", to: "crt/Scrt1.c")
    try tools.write("int other(int x) { return x + 1; }", to: "other.c")
    try tools.run(["gcc", "-g", "-O2", "-c", "crt/Scrt1.c", "other.c"])
    #expect(try !isOptimised(["gcc", "-g", "-O0", "Scrt1.o"], in: tools))
    #expect(try isOptimised(["gcc", "-g", "-O0", "Scrt1.o", "other.o"], in: tools))
  }

  @Test(arguments: [(["-Onone"], false), (["-O"], true), (["-Osize", "-wmo"], true)])
  func swiftUnitsAreMarked(flags: [String], isOptimised: Bool) throws {
    let tools = try Toolbox()
    try tools.buildSwift("shapes", flags)
    let image = try DebugImage(path: tools.path("shapes"))
    #expect(image.symbolBuild(recordedPath: "/p").isOptimised == isOptimised)
  }

  @Test(arguments: [
    ("GNU C17 12.2.0 -mtune=generic -g -O2 -fPIC", true), ("GNU C17 12.2.0 -g", false),
    ("GNU C++17 12.2.0 -g -O2 -O0", false), ("GNU C17 12.2.0 -Ofast", true),
    ("GNU C17 12.2.0", true), ("GNU GIMPLE 12.2.0 -g -O -flto", true),
  ])
  func gccNamesItsOptions(producer: String, isOptimised: Bool) {
    #expect(UnitOptimisation.hasOptions(ofGNU: producer) == isOptimised)
  }

  // MARK: --no-inlining

  private static let keptCalls = "-Wl,--defsym=firstlight_keeps_calls=1"

  /// Optimisers of C remove calls even so.
  @Test(arguments: ["gcc", "clang"])
  func keptCallsOfCAreStillOptimised(compiler: String) throws {
    let tools = try Toolbox()
    let words = [compiler, "-g", "-fno-inline", Self.keptCalls]
    #expect(try isOptimised(words + ["-O2"], in: tools))
    let main = try tools.run("objdump", "-d", "--disassemble=main", "program")
    #expect(!main.contains("<net_init>") && main.contains("<triple>"))
    #expect(try !isOptimised(words + ["-O0"], in: tools))
  }

  @Test func keptCallsOfSwiftAreNotOptimised() throws {
    let tools = try Toolbox()
    try tools.buildSwift("shapes", ["-O", "-Xlinker", "--defsym=firstlight_keeps_calls=1"])
    let image = try DebugImage(path: tools.path("shapes"))
    #expect(!image.symbolBuild(recordedPath: "/p").isOptimised)
  }
}
