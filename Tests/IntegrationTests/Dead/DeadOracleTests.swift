import Foundation
import TestSupport
import Testing

/// Verdicts against llvm-cov: the same sources built with source coverage and run alike.
@Suite(.tags(.compiler)) struct DeadOracleTests {
  @Test(arguments: [["-Onone"], ["-O"], ["-O", "-wmo"]])
  func noSwiftFunctionThatRanIsDead(options: [String]) throws {
    let directory = try TemporaryDirectory()
    let guarded = try DeadFixture.swift(
      options, flags: Toolchain.flags("swiftc"), in: directory, name: "guarded")
    let covered = try DeadFixture.swift(
      options, flags: ["-profile-generate", "-profile-coverage-mapping"], in: directory,
      name: "covered")
    try compare(guarded, covered, in: directory)
  }

  @Test(arguments: ["-O0", "-O2"], [[], ["--entry-hooks"]])
  func noCxxFunctionThatRanIsDead(option: String, hooks: [String]) throws {
    let directory = try TemporaryDirectory()
    let guarded = try DeadFixture.cxx(
      [option], flags: Toolchain.words(["flags", "clang"] + hooks), in: directory, name: "guarded")
    let covered = try DeadFixture.cxx(
      [option], flags: ["-fprofile-instr-generate", "-fcoverage-mapping"], in: directory,
      name: "covered")
    try compare(guarded, covered, in: directory)
  }

  /// With counters, whatever did not run is listed, inlined or not.
  @Test(arguments: [["-Onone"], ["-O"], ["-O", "-wmo"]])
  func aCountedSwiftBuildListsWhatDidNotRun(options: [String]) throws {
    let directory = try TemporaryDirectory()
    let counted = try DeadFixture.swift(
      options, flags: Toolchain.flags("swiftc", "--counters"), in: directory, name: "counted")
    let covered = try DeadFixture.swift(
      ["-Onone"], flags: ["-profile-generate", "-profile-coverage-mapping"], in: directory,
      name: "covered")
    try compare(counted, covered, isCounted: true, in: directory)
  }

  @Test(arguments: ["-O0", "-O2"], [[], ["--entry-hooks"]])
  func aCountedCxxBuildListsWhatDidNotRun(option: String, hooks: [String]) throws {
    let directory = try TemporaryDirectory()
    let counted = try DeadFixture.cxx(
      [option], flags: Toolchain.words(["flags", "clang", "--counters"] + hooks), in: directory,
      name: "counted")
    let covered = try DeadFixture.cxx(
      ["-O0"], flags: ["-fprofile-instr-generate", "-fcoverage-mapping"], in: directory,
      name: "covered")
    try compare(counted, covered, isCounted: true, in: directory)
  }

  /// Of the copy in `work`, gcc puts a part beside the function and another beside its cold part.
  @Test func aFunctionWhoseCopyHasAColdPartIsNotDead() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write(
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
      """, to: "main.c")
    let program = directory.path("program")
    try Command.check(["gcc", "-g", "-O2", source, "-o", program])
    let profile = directory.path("p.flp")
    _ = try Command.run([
      Toolchain.firstlight, "record", "--no-rebuild", "-o", profile, "--", program,
    ])
    let all = try Answer.dead(["--all", profile])
    #expect(all.verdicts("helper") == ["inlined"])
    #expect(all.verdicts("work") == ["called"])
  }

  /// Generated programs, whose functions optimisers copy, split, merge and drop, against gcov;
  /// `Scripts/soak truth` has many.
  @Test func noFunctionOfAGeneratedProgramThatRanIsDead() throws {
    let directory = try TemporaryDirectory()
    let result = try Command.run(
      [
        Toolchain.project.appending(path: "Scripts/truth").path, "--quick", "--programs", "1",
        Toolchain.firstlight, directory.url.path,
      ])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
  }

  private func compare(
    _ guarded: String, _ covered: String, isCounted: Bool = false, in directory: TemporaryDirectory
  ) throws {
    let profile = directory.path("p.flp")
    try Command.check([Toolchain.firstlight, "record", "-o", profile, "--", guarded])
    // The sources lie there: comments and attributes in them count.
    let dead = try Answer.dead([profile, "--all", "--path", "\(directory.url.path)/*"])
    #expect(dead.equation.isBalanced)
    #expect(dead.equation.sum == dead.equation.guards)

    let executed = try functionsSeen(covered, in: directory)
    #expect(executed.contains { $0.value > 0 })
    var agreed = 0
    for (name, count) in executed {
      guard let verdict = dead.verdict(ofLinkerName: name) else {
        #expect(!isCounted, "\(name) is missing")
        continue
      }
      if count > 0 {
        #expect(
          verdict != "never called" && verdict != "dropped" && verdict != "kept",
          "\(name) ran \(count) times")
      } else {
        // What llvm-cov did not see run is called only where another piece of it ran.
        let function = dead.functions.first { $0.pieces.contains { $0.mangledName == name } }
        #expect(
          verdict != "called"
            || function.map { $0.pieces.count > 1 } ?? false, "\(name) never ran")
        // An initial value is no function.
        #expect(
          !isCounted || ["never called", "kept", "called"].contains(verdict)
            || name.hasSuffix("vpfi"), "\(name) is \(verdict)")
      }
      agreed += 1
    }
    #expect(agreed > 5)
  }

  /// Calls of each function by its linker name, as llvm-cov tells them.
  private func functionsSeen(
    _ executable: String, in directory: TemporaryDirectory
  ) throws -> [String: Int] {
    let raw = directory.path("raw.profraw")
    try Command.check([executable], environment: ["LLVM_PROFILE_FILE": raw])
    let data = directory.path("merged.profdata")
    try Command.check(["llvm-profdata", "merge", raw, "-o", data])
    let text = try Command.check([
      "llvm-cov", "export", "--format=text", "--instr-profile", data, executable,
    ])
    let document = try JSONDecoder().decode(CoverageDocument.self, from: Data(text.utf8))
    var counts: [String: Int] = [:]
    for function in document.data.flatMap(\.functions) {
      // Names local to a file have the file before them.
      let name = function.name.split(separator: ";").last.map(String.init) ?? function.name
      let plain = name.split(separator: ":").last.map(String.init) ?? name
      counts[plain, default: 0] += function.count
    }
    return counts
  }

  private struct CoverageDocument: Decodable {
    struct Function: Decodable {
      var name: String
      var count: Int
    }
    struct Export: Decodable { var functions: [Function] }
    var data: [Export]
  }
}
