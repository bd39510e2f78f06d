import Foundation
import TestSupport
import Testing

/// Functions of a header that gcc merges because they do the same. `work` calls both; no call of `second` runs but
/// those of its name in the source, whatever gcc made of them.
@Suite(.tags(.compiler)) struct MergedFunctionTests {
  private static let body = """
    (unsigned a, unsigned b) { unsigned x = a * 3 + b; g[(x + 1) & 63] += x * 7; x = x * 5 + g[b & 63];
      g[(x * 3) & 63] ^= x * 9; x = x * 3 + g[a & 63]; return x ^ limit; }
    """

  /// In one file gcc merges the functions, and in the other it has one of them alone, which does not run.
  ///
  /// - Parameters:
  ///   - work: the body of a function of the first file, which calls both.
  ///   - name: the function of the second file.
  private func listed(
    _ options: [String], work: String, other name: String
  ) throws -> (names: Set<String>, entries: String, symbols: String) {
    let directory = try TemporaryDirectory()
    try directory.write(
      """
      extern volatile unsigned limit;
      extern unsigned g[64];
      static inline unsigned first\(Self.body)
      static inline unsigned second\(Self.body)
      static inline unsigned third(unsigned a) { for (unsigned i = 0; i < a; i++) { g[i & 63] ^= i * 3; g[a & 63] += i;
        g[(i + a) & 63] -= g[i & 31] * 5; if (g[i & 63] & 1) g[(a + 2) & 63] -= i; } return g[0]; }
      """, to: "twins.h")
    try directory.write(
      """
      #include "twins.h"
      volatile unsigned limit;
      unsigned g[64];
      unsigned other(unsigned);
      __attribute__((noinline)) unsigned work(unsigned x) { \(work) return x; }
      int main(int count, char **arguments) {
        limit = count;
        unsigned x = work(count);
        if (limit > 6) x += other(x);
        return x == (arguments == 0);
      }
      """, to: "main.c")
    try directory.write(
      """
      #include "twins.h"
      unsigned (*volatile table)(unsigned, unsigned) = \(name);
      unsigned (*volatile alone)(unsigned) = third;
      unsigned other(unsigned a) { return table(a, 3) + alone(a); }
      """, to: "other.c")
    try Command.check(
      ["gcc", "-g", "main.c", "other.c", "-o", "program"] + options, in: directory.url)
    let profile = directory.path("run.flp")
    try Command.check(
      [Toolchain.firstlight, "record", "--no-rebuild", "-o", profile, "--", "./program"],
      in: directory.url)
    return (
      Set(try Answer.dead([profile]).functions.map(\.name)),
      try Command.check(["readelf", "--debug-dump=info", "program"], in: directory.url),
      try Command.check(["nm", "program"], in: directory.url)
    )
  }

  /// The addresses of a function's symbols.
  private func addresses(of name: String, in symbols: String) -> Set<Substring> {
    Set(
      symbols.split(separator: "\n").map { $0.split(separator: " ") }
        .filter { $0.count == 3 && ($0[2] == name || $0[2].hasPrefix("\(name).")) }.map { $0[0] })
  }

  private static let calls = "x = second(limit, 3); if (limit > 5) x += first(limit, 8);"
  private static let loops = """
    for (unsigned i = 0; i < limit + 3; i++) x += second(x, i);
    if (limit > 5) for (unsigned i = 0; i < limit; i++) x += first(x, i);
    """

  /// The names share an address, which runs under one of them.
  @Test func bothNamesOfAnAddressRan() throws {
    for name in ["first", "second"] {
      let (names, _, symbols) = try listed(["-Os"], work: Self.calls, other: name)
      let shared = addresses(of: "first", in: symbols)
        .intersection(addresses(of: "second", in: symbols))
      try #require(shared.count == 1, "gcc merges the functions")
      #expect(names.isDisjoint(with: ["first", "second"]))
      #expect(names.contains("third"))
    }
  }

  /// gcc sends calls of `second` to `first`, and inlines them there: debug information names copies of `first`
  /// alone, and there is no symbol of `second` but that of the other file.
  @Test func copiesOfAMergedFunctionHaveItsTwinsName() throws {
    let (names, entries, symbols) = try listed(["-O2"], work: Self.loops, other: "second")
    try #require(addresses(of: "first", in: symbols).isEmpty)
    try #require(addresses(of: "second", in: symbols).count == 1)
    try #require(entries.contains("DW_TAG_inlined_subroutine"))
    #expect(!names.contains("second"))
    #expect(names.contains("third"))
  }

  /// With link-time optimization all copies become one, which has both names and does not run.
  @Test func codeThatDoesNotRunMayHaveCopiesOfAnotherName() throws {
    let (names, _, symbols) = try listed(["-O3", "-flto"], work: Self.loops, other: "second")
    try #require(
      addresses(of: "first", in: symbols) == addresses(of: "second", in: symbols))
    #expect(names.isDisjoint(with: ["first", "second"]))
  }

  /// Swift writes no debug information of what it merged, and such a getter may belong to a stored variable.
  @Test func gettersThatSwiftMergedAreUnknownUnlessTheyRan() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write(
      """
      struct Paint {
        var codes: [Int]
        func adding(_ code: Int) -> Paint {
          var c = codes; c.append(code); c.append(code * 2); return Paint(codes: c)
        }
        var red: Paint { return adding(1).adding(31).adding(131) }
        var green: Paint { return adding(2).adding(32).adding(132) }
        var blue: Paint { return adding(4).adding(34).adding(134) }
      }
      let p = Paint(codes: []).red
      print(CommandLine.argc > 5 ? p.green.blue.codes.count : p.codes.count)
      """, to: "main.swift")
    let program = directory.path("program")
    try Command.check(
      ["swiftc", "-O", "-wmo", "-g", source, "-o", program]
        + Toolchain.words(["flags", "swiftc", "--no-inlining"]))
    #expect(try Command.check(["nm", program]).contains("vgTm\n"))
    let profile = directory.path("run.flp")
    let recorded = try Command.run([Toolchain.firstlight, "record", "-o", profile, "--", program])
    #expect(recorded.output == "6\n")
    let dead = try Answer.dead(["--all", profile])
    #expect(dead.functions.first { $0.shortName == "Paint.red" }?.verdict == "called")
    for name in ["Paint.green", "Paint.blue"] {
      #expect(dead.functions.first { $0.shortName == name }?.reason == "mergedAccessor")
    }
    let list = try Command.check([Toolchain.firstlight, "dead", profile])
    #expect(list.contains("2 functions may have run unseen"))
  }
}
