import Testing

@testable import DebugInfo

/// What is certain of calls in optimised code; the oracles are the compilers' options, and which functions of the
/// source write something.
@Suite struct CallFactTests {
  private static let source = """
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    __attribute__((noinline)) void says(void) { puts("hello"); }
    __attribute__((noinline)) int through(int x) { if (x) says(); return x; }
    __attribute__((noinline)) int ends(int x) { if (x > 5) abort(); return x; }
    __attribute__((noinline)) int adds(int x) { return x + 1; }
    __attribute__((noinline)) int calls_adds(int x) { return adds(x) * 2; }
    __attribute__((noinline)) void sets(int *p) { *p = 1; }
    __attribute__((noinline)) void *makes(int n) { return memset(malloc(n), 0, n); }
    int main(int count, char **arguments) {
      int x = 0;
      says(); sets(&x); free(makes(count + (int)strlen(arguments[0])));
      return through(count - 1) + ends(count) + calls_adds(x) == 0;
    }
    """

  private func facts(_ words: [String], in tools: Toolbox) throws -> (CallFacts, DebugImage) {
    try tools.write(Self.source, to: "main.c")
    try tools.run(words + ["main.c", "-o", "program"])
    let image = try DebugImage(path: tools.path("program"))
    return (image.callFacts(), image)
  }

  @Test(arguments: ["-O1", "-O2", "-O3", "-Os", "-O2 -fno-plt", "-O2 -fPIC", "-O2 -static"])
  func functionsWithAnEffectAreFound(options: String) throws {
    let tools = try Toolbox()
    let words = ["gcc", "-g"] + options.split(separator: " ").map(String.init)
    let (facts, image) = try facts(words, in: tools)
    #expect(facts.isCompiledApart && facts.units == ["main.c"])
    func isEffective(_ name: String) -> Bool {
      image.functions(named: [name]).contains { facts.effective.contains($0.address) }
    }
    for name in ["says", "through", "ends", "main"] { #expect(isEffective(name), "\(name)") }
    // A static program has the library's own functions, which call each other.
    if !options.contains("static") {
      for name in ["adds", "calls_adds", "sets", "makes"] { #expect(!isEffective(name), "\(name)") }
    }
  }

  @Test(arguments: ["gcc -flto", "gcc -fwhole-program", "gcc -gno-record-gcc-switches", "clang"])
  func otherwiseNothingIsCertain(words: String) throws {
    let tools = try Toolbox()
    let (facts, _) = try facts(
      words.split(separator: " ").map(String.init) + ["-g", "-O2"], in: tools)
    #expect(!facts.isCompiledApart && facts.effective.isEmpty)
  }
}
