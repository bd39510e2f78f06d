import FirstlightModel
import Testing

@testable import DebugInfo

/// Where copies of a function count. The oracles are nm and readelf's view of the entries.
@Suite struct InlinedCopyTests {
  private func build(_ source: String, in tools: Toolbox) throws -> Build {
    try tools.write(source, to: "main.c")
    try tools.run("gcc", "-g", "-O2", "main.c", "-o", "program")
    return try DebugImage(path: tools.path("program")).symbolBuild(recordedPath: "/p")
  }

  /// gcc puts one part of the copy beside `work`, the other beside its cold part, which lies lower.
  @Test func aCopyCountsWhereItsFunctionIsEntered() throws {
    let tools = try Toolbox()
    let build = try build(
      """
      #include <stdio.h>
      __attribute__((noinline, cold)) static void odd(int *p, int x) { printf("%d %d\\n", *p, x); }
      static inline int helper(int *p, int x) {
        if (x > 100000) { odd(p, x); p[1] = 7; }
        p[0] += x; p[1] ^= x * 3; p[2] -= x * 7; p[3] |= x; p[4] ^= p[3] + x; p[5] += p[4] >> 3;
        return p[x & 7];
      }
      int (*volatile table)(int *, int) = helper;
      __attribute__((noinline)) int work(int *p, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += helper(p, i);
        return sum;
      }
      int main(int count, char **arguments) {
        int p[8] = {0};
        return work(p, count) + (count > 9 ? table(p, arguments != 0) : 0);
      }
      """, in: tools)
    let places = try tools.listedSymbols("program")
    func address(_ name: String) throws -> UInt64 {
      try #require(places.first { $0.name == name }).address
    }
    let (work, cold) = (try address("work"), try address("work.cold"))
    try #require(cold < work)
    let helper = try #require(build.functions.first { $0.isCopied && $0.name == "helper" })
    let host = try #require(build.guarded.first { $0.address == work }?.guardIndex)
    #expect(helper.code == .copies(of: [host], unknownHost: false))
  }

  /// gcc says that it inlined the function, and nothing is left of the copy.
  @Test func aCopyThatVanishedMayHaveBeenAnywhere() throws {
    let tools = try Toolbox()
    let build = try build(
      """
      static unsigned mix(unsigned a, unsigned b) {
        unsigned x = a;
        if (b > 3) x = x * 31 + (b >> 3); else x ^= b * 7;
        if (x & 8) x = (x << 5) ^ (a * b); else x += a ^ (b << 2);
        if (x & 64) x ^= x >> 11; else x = x * 5 + 3;
        return x;
      }
      unsigned (*volatile table)(unsigned, unsigned) = mix;
      int main(int count, char **arguments) {
        unsigned x = mix(4, 5);
        return count > 5 ? table(count, x) : x == (arguments == 0);
      }
      """, in: tools)
    let entries = try tools.run("readelf", "--debug-dump=info", "program")
    try #require(!entries.contains("DW_TAG_inlined_subroutine"))
    let mix = try #require(build.functions.first { $0.isCopied && $0.name == "mix" })
    #expect(mix.code == .copies(of: [], unknownHost: true))
  }

  /// gcc has one function of two that do the same, sends calls of both there, and leaves the other's
  /// symbol without an entry.
  @Test func callsOfAMergedFunctionMayGoToItsTwin() throws {
    let tools = try Toolbox()
    let body =
      "(unsigned *p, unsigned n) { for (unsigned i = 0; i < n; i++) { p[i] ^= p[i + 1] * 3; "
      + "p[i + 1] += n; if (p[i] & 1) p[i + 2] -= i; } return p[0]; }"
    let build = try build(
      """
      unsigned twin\(body)
      unsigned other\(body)
      int main(int count, char **arguments) {
        static unsigned p[64];
        return other(p, count) == (arguments == 0);
      }
      """, in: tools)
    let code = try tools.run("objdump", "--disassemble=other", "program")
    try #require(code.contains("<twin>"))
    let other = try #require(build.functions.first { $0.isCopied && $0.name == "other" })
    #expect(other.code == .copies(of: [], unknownHost: true))
    #expect(other.line == 2)
    #expect(!build.functions.contains { $0.isCopied && $0.name == "main" })
  }
}
