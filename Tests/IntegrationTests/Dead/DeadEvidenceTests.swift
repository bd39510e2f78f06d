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
    #expect(list.output.contains("2 functions without a name not listed"))
    #expect(!list.output.contains("0x") && !list.output.contains("fn_"))
    #expect(try Answer.dead([profile]).functions.isEmpty)
    // They are never called all the same.
    #expect(try dead([profile, "--strict"]).status == 1)
    #expect(try dead([profile, "--max-dead", "1"]).status == 1)
    let all = try Answer.dead([profile, "--all"]).functions
    #expect(all.count == 3 && all.allSatisfy { $0.name.hasPrefix("fn_") })
  }
}
