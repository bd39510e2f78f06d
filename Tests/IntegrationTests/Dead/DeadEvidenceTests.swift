import Foundation
import TestSupport
import Testing

/// What a never-called list says of how much was watched, and of functions that it cannot name.
@Suite(.tags(.compiler)) struct DeadEvidenceTests {
  private func dead(_ arguments: [String]) throws -> CommandResult {
    try Command.run([Toolchain.firstlight, "dead"] + arguments)
  }

  /// Two runs of two builds: each function was there in one.
  @Test func runsAreThoseThatWatchedAFunction() throws {
    let first = try Fixture.c("void never(void) {}\nint main(void) { return 0; }", options: ["-O0"])
    let second = try Fixture.c(
      "void another(void) {}\nvoid never(void) {}\nint main(void) { return 0; }", options: ["-O0"])
    let profiles = [try first.record(), try second.record()]
    let list = try dead(profiles)
    #expect(list.output.hasPrefix("Recorded 2 runs"))
    #expect(
      list.output.contains(
        "Some functions listed here were in only 1 of 2 recorded runs. "
          + "One run says little about others; record more."), "\(list.output)")
    let refused = try dead(profiles + ["--min-runs", "2"])
    #expect(refused.status == 2 && refused.output == "")
    #expect(refused.errors.contains("only 1 of 2 runs recorded some of the never-called functions"))
    #expect(try dead(profiles + ["--min-runs", "1"]).status == 0)
    let twice = [try first.record(), try first.record()]
    let both = try dead(twice + ["--min-runs", "2"])
    #expect(both.status == 0)
    #expect(both.output.contains("may still run in up to"))
    #expect(!both.output.contains("were in only"))
  }

  @Test func functionsOfAStrippedBuildAreCountedAndNotListed() throws {
    let program = try Fixture.c(
      "void never(void) {}\nvoid none(void) {}\nint main(void) { return 0; }", options: ["-O0"])
    try Command.check(["llvm-objcopy", "--strip-all", program.executable])
    let profile = try program.record()
    let list = try dead([profile])
    #expect(list.status == 0)
    #expect(list.output.contains("2 never-called functions built without -g not listed"))
    #expect(!list.output.contains("0x") && !list.output.contains("fn_"))
    #expect(try Answer.dead([profile]).functions.isEmpty)
    // Copies of them may have run.
    #expect(try dead([profile, "--strict"]).status == 2)
    let all = try Answer.dead([profile, "--all"]).functions
    #expect(all.count == 3 && all.allSatisfy { $0.name.hasPrefix("fn_") })
  }

  // MARK: Copies without a record

  /// All but `unused` and `large` run, `net_init` and `default_rng` in the source alone.
  private static let inliner = """
    #include <stdio.h>
    #include <stdlib.h>
    static int state;
    void net_init(void) {}
    int *default_rng(void) { return &state; }
    int triple(int x) { return 3 * x; }
    int unused(int x) { return x + 1; }
    int large(const char *text, int x) {
      for (; *text; text++) x = x * 31 + *text / (x | 1) + (x ^ *text) % 7;
      for (; x > 9; x /= 3) x = printf("%d", x) + (x % 5) * (x % 7) - (x / 11) * (x & 3);
      return x;
    }
    int main(int argc, char **argv) {
      net_init();
      *default_rng() = argc;
      printf("%d %d %s\\n", state, triple(atoi("7")), argv[0]);
      return 0;
    }
    """

  /// What a list has of the program, recorded by guards if clang builds it, else by breakpoints.
  private func listed(
    _ compiler: String, _ options: [String], keepsCalls: Bool = false
  ) throws -> (profile: String, names: Set<String>, directory: TemporaryDirectory) {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Self.inliner, to: "main.c")
    let (executable, profile) = (directory.path("program"), directory.path("run.flp"))
    let isClang = compiler == "clang"
    let flags =
      try keepsCalls
      ? Toolchain.flags("clang", "--no-inlining") : Toolchain.flags("clang")
    try Command.check([compiler] + options + [file, "-o", executable] + (isClang ? flags : []))
    try Command.check(
      [Toolchain.firstlight, "record", "-o", profile] + (isClang ? [] : ["--no-rebuild"])
        + ["--", executable])
    let names = try Answer.dead([profile]).functions.map(\.name)
    return (profile, Set(names), directory)
  }

  @Test(arguments: ["gcc", "clang"], ["-O0", "-O2", "-O3"])
  func withoutDebugInformationNothingIsListed(compiler: String, option: String) throws {
    let found = try listed(compiler, [option])
    #expect(found.names.isEmpty, "\(found.names)")
    let text = try dead([found.profile])
    #expect(text.output.contains("built without -g not listed: inlined copies may have run"))
    #expect(text.output.contains("Build with -g"))
    let all = try Answer.dead([found.profile, "--all"])
    #expect(all.verdicts("unused") == ["inlined"] && all.verdicts("main") == ["called"])
    #expect(all.equation.isBalanced)
    // Nothing tells what share was called, nor whether a limit is kept.
    #expect(text.output.contains("at least ") && !text.output.contains("100%"), "\(text.output)")
    let json = try dead([found.profile, "--format", "json"])
    #expect(json.output.contains("\"unknown\" : ") && !json.output.contains("\"share\""))
    for gate in [["--strict"], ["--max-dead", "1"], ["--max-dead-bytes", "0"]] {
      let result = try dead([found.profile] + gate)
      #expect(result.status == 2)
      #expect(result.output == text.output)
      #expect(result.errors.contains("insufficient evidence for \(gate.joined(separator: " "))"))
    }
    #expect(try dead([found.profile, "--max-dead", "100"]).status == 0)
    let why = try Command.check([Toolchain.firstlight, "why", "unused", found.profile])
    #expect(why.contains("built without -g, so inlined copies cannot be seen"), "\(why)")
  }

  /// An inlined `net_init` or `default_rng` leaves no record, so nor may one of `unused`.
  @Test(arguments: ["gcc", "clang"], ["-O0", "-Og", "-O1", "-O2", "-O3"])
  func functionsWhoseCopiesMayVanishAreNotListed(compiler: String, option: String) throws {
    let small: Set = option == "-O0" ? ["unused"] : []
    #expect(try listed(compiler, ["-g", option]).names == small.union(["large"]))
  }

  @Test(arguments: ["-O0", "-O2"])
  func keptCallsOfCCanBeRemoved(option: String) throws {
    let small: Set = option == "-O0" ? ["unused"] : []
    #expect(
      try listed("clang", ["-g", option], keepsCalls: true).names == small.union(["large"]))
  }
}
