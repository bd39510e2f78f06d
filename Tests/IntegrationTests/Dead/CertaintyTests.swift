import Foundation
import TestSupport
import Testing

/// Lists of optimised code. The oracle is a build without optimisation, by gcov: no function that ran in it may be
/// listed.
@Suite(.tags(.compiler), .enabled(if: ProgramTarget.isNative, "gcc builds for the machine"))
struct CertaintyTests {
  /// In `main`, `count` is 1: only what is below `count > 5` does not run.
  private static let main = """
    #include <stdio.h>
    #include "unit.h"
    /* Small functions of this unit, in code that ran. */
    __attribute__((noinline)) static void says(void) { puts("says"); }
    static int counts(int x) { return x + 1; }
    static void nothing(void) {}
    static int once(int x) { return x * 3; }
    int named_in_macro(int x) { return x + 7; }
    int pasted_it(int x) { return x + 8; }
    __attribute__((noinline)) int behind_one(int x) { return x ^ 9; }
    __attribute__((noinline)) static int dead(int x) { return behind_one(x) + printf("%d %d %d %d\\n", x % 5, x * 3, x / 3, x / 7); }
    int same_line(int x) { return x + 2; } int user(int x) { return same_line(x) * 3; }
    #define CALL(x) named_in_macro(x)
    #define PASTE(name) pasted_##name
    void (*volatile table[])(void) = { says, nothing };
    int (*volatile others[])(int) = { counts, once, named_in_macro, pasted_it };
    int main(int count, char **arguments) {
      int x = counts(count) + CALL(count) + PASTE(it)(count) + user(count);
      nothing();
      (void)once(x);
      int unused = promised(x);
      if (count > 5) { says(); table[0](); others[1](x); return dead(x) + other_small(x); }
      return other_ran(x) == 0;
    }
    """
  private static let header = """
    int other_small(int x);
    int other_ran(int x);
    /* A header's own code is in both units. */
    static inline int in_header(int x) { return x - 3; }
    /* Callers may do without a call whose result they do not need. */
    __attribute__((pure)) int promised(int x);
    """
  private static let unit = """
    #include "unit.h"
    int other_small(int x) { return x * 5; }
    static int helper(int x) { return x + 4; }
    int other_ran(int x) { return helper(x) + in_header(x); }
    int promised(int x) { return x + 6; }
    int (*volatile addresses[])(int) = { helper, in_header };
    """

  private func record(
    _ words: [String], in directory: TemporaryDirectory
  ) throws -> (listed: DeadDocument, ran: Set<String>) {
    try directory.write(Self.header, to: "unit.h")
    let sources = [
      try directory.write(Self.main, to: "main.c"), try directory.write(Self.unit, to: "unit.c"),
    ]
    let folder = directory.path("covered")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Command.check(
      ["gcc", "-O0", "--coverage", "-w"] + sources + ["-o", "truth"],
      in: URL(fileURLWithPath: folder))
    try Command.check(["./truth"], in: URL(fileURLWithPath: folder))
    var ran: Set<String> = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where name.hasSuffix(".gcda") {
      let text = try Command.check(["gcov", "-f", "-n", name], in: URL(fileURLWithPath: folder))
      let parts = text.components(separatedBy: "Function '").dropFirst()
      for part in parts where !part.contains("executed:0.00%") {
        ran.insert(String(part.prefix { $0 != "'" }))
      }
    }
    let program = directory.path("program")
    try Command.check(words + ["-g", "-w"] + sources + ["-o", program])
    let profile = directory.path("p.flp")
    try Command.check([
      Toolchain.firstlight, "record", "--no-rebuild", "-o", profile, "--", program,
    ])
    return (try Answer.dead(["--all", profile]), ran)
  }

  @Test(arguments: ["gcc", "clang"], ["-O1", "-O2", "-O3", "-Os"])
  func nothingThatRanIsListed(compiler: String, option: String) throws {
    let (all, ran) = try record([compiler, option], in: try TemporaryDirectory())
    #expect(ran.isSuperset(of: ["main", "counts", "nothing", "once", "promised", "helper"]))
    #expect(ran.isDisjoint(with: ["says", "dead", "behind_one", "other_small"]))
    for function in all.functions where function.verdict == "never called" {
      #expect(!ran.contains(function.name), "\(function.name): \(function.reason ?? "")")
    }
    #expect(all.verdicts("dead") == ["never called"])
  }

  /// With link-time optimisation, calls from other units may be copies.
  @Test func linkTimeOptimisationMakesOtherUnitsUncertain() throws {
    let (all, ran) = try record(["gcc", "-O2", "-flto"], in: try TemporaryDirectory())
    for function in all.functions where function.verdict == "never called" {
      #expect(!ran.contains(function.name), "\(function.name): \(function.reason ?? "")")
    }
  }

  /// Of an optimised Swift build, only what is never inlined and not small is certain; the list says how much is not.
  @Test func anOptimisedSwiftListSaysHowMuchIsUnknown() throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      """
      @inline(never) func kept(_ x: Int) -> Int { print("kept", x); return "\\(x &* 3)".utf8.count }
      func rare(_ x: Int) -> Int { (0..<x).reduce(1) { $0 &* 3 &+ kept($1) } }
      func large(_ words: [String]) -> String {
        words.map { $0.uppercased() }.sorted().joined(separator: "-") + String(rare(words.count))
      }
      func inlined(_ x: Int) -> Int { x &+ 1 }
      let count = CommandLine.arguments.count
      print(inlined(count))
      if count > 5 { print(large(CommandLine.arguments)) }

      """, to: "main.swift")
    let flags = try Toolchain.flags("swiftc")
    try Command.check(
      ["swiftc", "-g", "-O", "main.swift", "-o", "program"] + flags,
      in: URL(fileURLWithPath: directory.path("")))
    let profile = directory.path("p.flp")
    try Command.check([
      Toolchain.firstlight, "record", "-o", profile, "--", directory.path("program"),
    ])
    let dead = try Answer.dead([profile])
    #expect(dead.functions.map(\.shortName) == ["kept(_:)"])
    let text = try Command.check([Toolchain.firstlight, "dead", profile])
    #expect(text.contains(" may have run unseen: inlined, or not instrumented. "), "\(text)")
    #expect(text.contains("flags swiftpm --counters") && text.contains("at least "), "\(text)")
    #expect(!text.contains("100%"), "\(text)")
    let why = try Command.check([Toolchain.firstlight, "why", "large", profile])
    #expect(why.contains("may be copied into callers without a record"), "\(why)")
  }
}
