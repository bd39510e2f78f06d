import Foundation
import TestSupport
import Testing

/// What `dead` and its neighbours do beside listing: gates, baselines, keeps, exit codes, other tools'
/// recordings.
@Suite(.tags(.compiler)) struct DeadCommandTests {
  private static let source = """
    #include <stdio.h>
    __attribute__((noinline)) int a(int x) { return printf("a%d\\n", x); }
    __attribute__((noinline)) int b(int x) { return printf("b%d\\n", x); }
    __attribute__((noinline)) int c(int x) { return printf("c%d\\n", x); }
    int main(int count, char **v) {
      (void)v;
      if (count > 1) a(count);
      if (count > 2) b(count);
      if (count > 3) c(count);
      return 0;
    }

    """

  private func dead(
    _ program: Fixture, _ arguments: String...
  ) throws -> CommandResult {
    try Command.run([Toolchain.firstlight, "dead"] + arguments, in: program.directory.url)
  }

  @Test func gatesEndWithOne() throws {
    let program = try Fixture.c(Self.source, options: ["-O0"], isOwn: true)
    let profile = try program.record("x")
    #expect(try dead(program, profile).status == 0)
    let strict = try dead(program, profile, "--strict")
    #expect(strict.status == 1)
    #expect(strict.errors.contains("2 functions listed"))
    #expect(strict.output.contains("never called"))
    #expect(try dead(program, profile, "--max-dead", "2").status == 0)
    #expect(try dead(program, profile, "--max-dead", "1").status == 1)
    #expect(try dead(program, profile, "--max-dead-bytes", "1").status == 1)
    #expect(try dead(program, profile, "--max-dead-bytes", "100000").status == 0)
    // Known ones do not count.
    #expect(try dead(program, profile, "--write-baseline", "known.json").status == 0)
    #expect(try dead(program, profile, "--baseline", "known.json", "--strict").status == 0)
    let other = try program.record()
    let more = try dead(program, other, "--baseline", "known.json", "--strict")
    #expect(more.status == 1)
    #expect(more.errors.contains("1 function listed"))
  }

  @Test func insufficientEvidenceGivesNoList() throws {
    let program = try Fixture.c(Self.source, options: ["-O0"], isOwn: true)
    let profile = try program.record()
    let runs = try dead(program, profile, "--min-runs", "2")
    #expect(runs.status == 2)
    #expect(runs.output.isEmpty)
    #expect(runs.errors.contains("1 run recorded; --min-runs requires 2"))
    let time = try dead(program, profile, "--min-time", "24h")
    #expect(time.status == 2 && time.output.isEmpty)
    #expect(try dead(program, profile, try program.record(), "--min-runs", "2").status == 0)
  }

  @Test func lossesHaveACodeOfTheirOwn() throws {
    let program = try Fixture.c(Self.source, options: ["-O0"], isOwn: true)
    let profile = try program.record()
    try Command.check(["sqlite3", profile, "UPDATE process SET drops = 3"])
    let lossy = try dead(program, profile)
    #expect(lossy.status == 3)
    #expect(lossy.output.contains("do not delete by this list"))
    #expect(lossy.errors.contains("3 dropped first calls"))
  }

  @Test func rarelyCalledFunctionsAreBelowTheThreshold() throws {
    let program = try Fixture.c(Self.source, options: ["-O0"], isOwn: true)
    let profiles = try [program.record("x"), program.record("x"), program.record("x", "y")]
    let all = try Answer.dead(profiles + ["--below", "50%"])
    #expect(all.functions.map(\.name) == ["b", "c"])
    #expect(all.functions.map(\.verdict) == ["below threshold", "never called"])
    #expect(all.functions.map(\.calledRuns) == [1, 0])
    // Of none in three: 1 - 0.05^(1/3).
    #expect(abs(all.functions[1].upperBound - 0.6316) < 0.001)
  }

  @Test func rulesAndOwnersComeFromFiles() throws {
    let program = try Fixture.c(Self.source, options: ["-O0"], isOwn: true)
    let profile = try program.record()
    try program.directory.write(
      "keep:\n  - symbol: a\n    reason: by hand\n  - symbol: main\n    reason: stale\n",
      to: ".firstlight.yml")
    try program.directory.write("*.c @owner\n", to: "CODEOWNERS")
    let text = try Command.check(
      [
        Toolchain.firstlight, "dead", profile, "--format", "json", "--owners", "CODEOWNERS",
        "--all",
      ],
      in: program.directory.url)
    let all = try JSONDecoder().decode(DeadDocument.self, from: Data(text.utf8))
    #expect(all.verdicts("a") == ["kept"])
    #expect(all.functions.first { $0.name == "a" }?.keep == "by hand")
    #expect(all.staleKeeps.count == 1)
    #expect(all.functions.allSatisfy { $0.owners == ["@owner"] })
    #expect(try dead(program, profile, "--strict").errors.contains("1 stale keep"))
    let why = try Command.check(
      [Toolchain.firstlight, "why", "a", profile], in: program.directory.url)
    #expect(why.contains("by hand"), "\(why)")
  }

  @Test func badInputIsNamed() throws {
    let program = try Fixture.c(Self.source, options: ["-O0"], isOwn: true)
    let profile = try program.record()
    try program.directory.write("{}", to: "bad.json")
    try program.directory.write("keep: 3", to: ".firstlight.yml")
    func expect(_ status: Int32, _ words: String, _ arguments: String...) throws {
      let result = try Command.run(
        [Toolchain.firstlight, "dead"] + arguments, in: program.directory.url)
      #expect(result.status == status, "\(arguments): \(result.errors)")
      #expect(result.errors.contains(words), "\(arguments): \(result.errors)")
    }
    try expect(65, ".firstlight.yml: 'keep' must be a list", profile)
    try program.directory.write("", to: ".firstlight.yml")
    try expect(65, "bad.json: not a baseline", profile, "--baseline", "bad.json")
    try expect(66, "absent.json", profile, "--baseline", "absent.json")
    try expect(64, "--format", profile, "--format", "word")
    try expect(64, "--path-map", profile, "--path-map", "nothing")
    try expect(64, "--below", profile, "--below", "2")
    try expect(65, "no function matches", profile, "--path", "*/nowhere/*")
    try expect(65, "lists no dropped function section", profile, "--gc-sections", "bad.json")
    try expect(66, "absent.flp", "absent.flp")
  }

  @Test func movedSourcesAreFoundByPathMap() throws {
    let program = try Fixture.c(Self.source, options: ["-O0"], isOwn: true)
    let profile = try program.record()
    let moved = Self.source.replacing(
      "int c(int x) {", with: "int c(int x) {  // firstlight:keep - moved")
    try program.directory.write(moved, to: "elsewhere/main.c")
    try FileManager.default.removeItem(atPath: program.directory.path("main.c"))
    #expect(try dead(program, profile).output.contains("1 source file not found"))
    let map = "\(program.directory.url.path)=\(program.directory.path("elsewhere"))"
    let all = try Answer.dead([profile, "--all", "--path-map", map])
    #expect(all.verdicts("c") == ["kept"])
    #expect(all.functions.allSatisfy { $0.file?.hasSuffix("elsewhere/main.c") ?? false })
  }

  @Test func aListShowsWhichOfTwoProfilesCallsAFunction() throws {
    let program = try Fixture.c(Self.source, options: ["-O0"], isOwn: true)
    let (one, two) = try (program.record("x"), program.record("x", "y"))
    let list = try Answer.dead([two, "--tests", one, "--all"])
    let (a, b) = try (list.function("a"), list.function("b"))
    #expect(a.verdict == "called" && a.tests?.calls == true)
    #expect(b.verdict == "called" && b.tests?.calls == false)
  }

  @Test func whyShowsEverythingAboutOneFunction() throws {
    let program = try Fixture.c(Self.source, options: ["-O0"], isOwn: true)
    let profile = try program.record("x")
    func why(_ arguments: String...) throws -> String {
      try Command.check([Toolchain.firstlight, "why"] + arguments)
    }
    let called = try why("a", profile, "--binary", program.executable)
    #expect(called.contains("verdict     called"))
    #expect(called.contains("just after main"))
    #expect(called.contains("main.c:2"))
    #expect(
      try why("b", profile).contains(
        "never called: it is never inlined, and no recorded run called it"))
    // One run says nothing of others.
    #expect(!called.contains("at most"))
    #expect(!called.contains("was not recorded"))
    // No compiler dropped it from a program that never had it.
    let other = try why("b", profile, "--binary", Toolchain.firstlight)
    #expect(
      other.contains("was not recorded: it is another build or program"), "\(other)")
    #expect(!other.contains("dropped by the compiler"))
    let absent = try Command.run([Toolchain.firstlight, "why", "nothing_like_it", profile])
    #expect(absent.status == 65)
  }

  @Test func whyListsFunctionsIfManyMatch() throws {
    let names = (1...5).map { "part_\($0)" }
    let program = try Fixture.c(
      names.map { "void \($0)(void) {}\n" }.joined() + "int main(void) { part_2(); return 0; }",
      options: ["-O0"], isOwn: true)
    let profile = try program.record()
    func why(_ name: String) throws -> String {
      try Command.check([Toolchain.firstlight, "why", name, profile])
    }
    let list = try why("part")
    let rows = list.split(separator: "\n")
    #expect(rows.count == 6 && names.allSatisfy { name in rows.contains { $0.contains(name) } })
    #expect(rows.last == "5 functions match: name one of them")
    #expect(rows.count { $0.hasPrefix("called") } == 1)
    #expect(try why("part_[12]").contains("verdict"))
    #expect(try why("part_2").hasPrefix("part_2\n"))
  }
}
