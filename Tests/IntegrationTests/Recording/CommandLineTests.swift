import Foundation
import TestSupport
import Testing

/// How commands are typed: what may be left out, what a slip gets, where results go.
@Suite(.tags(.compiler)) struct CommandLineTests {
  private static let source = """
    #include <stdio.h>
    #include <stdlib.h>
    __attribute__((noinline)) int b(int x) { return x + 1; }
    int main(int count, char **words) {
      char text[9] = "";
      if (count > 1) printf("%s %s\\n", words[1], getenv("PLACE") ? getenv("PLACE") : "");
      if (fgets(text, sizeof text, stdin)) return b(text[0]) == 'b' ? 0 : 9;
      return count > 2 ? b(count) > 9 : 0;
    }
    """

  private func run(
    _ words: [String], in program: Fixture, status: Int32 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> CommandResult {
    let result = try Command.run(
      [Toolchain.firstlight] + words, in: program.directory.url)
    #expect(result.status == status, "\(result.errors)", sourceLocation: sourceLocation)
    return result
  }

  @Test func dashesBeforeTheProgramMayBeLeftOut() throws {
    let program = try Fixture.c(Self.source)
    for dashes in [[], ["--"]] {
      let recorded = try run(["record"] + dashes + [program.executable, "-o"], in: program)
      #expect(recorded.output.contains("-o"))
    }
    // Neither run replaced the other's profile.
    #expect(
      Set(program.directory.entries).isSuperset(of: ["program.flp", "program-2.flp"]))
    let slip = try run(["record", "--no-rebild", program.executable], in: program, status: 64)
    #expect(
      slip.errors.hasPrefix(
        "firstlight: error: unknown option '--no-rebild'; see 'firstlight record --help'\n"))
  }

  /// Arguments and variables are bytes to the system, and need not be UTF-8. Oracle: what a shell gives the program.
  @Test(arguments: [
    "record -o a.flp", "record --no-rebuild -o a.flp", "launch --runs 1",
    "gate --runs 10 --against ./program",
  ])
  func programsGetTheBytesThatTheUserTyped(command: String) throws {
    let program = try Fixture.c(
      """
      #include <stdio.h>
      #include <stdlib.h>
      int main(int count, char **words) {
        FILE *file = fopen("words", "w");
        for (int i = 1; i < count; i++) fprintf(file, "%s\\n", words[i]);
        if (getenv("PLACE")) fprintf(file, "%s\\n", getenv("PLACE"));
        return fclose(file);
      }
      """)
    func words(_ start: String) throws -> [UInt8] {
      let script = """
        rm -f words
        PLACE=$(printf 'a\\377\\364\\217\\276\\200') && export PLACE
        \(start)./program "$(printf 'in\\377')" "$(printf 'in\\376')" "$(printf 'caf\\303\\251 caf\\303')"
        """
      _ = try Command.run(["sh", "-c", script], in: program.directory.url)
      return try Array(Data(contentsOf: program.directory.url.appending(path: "words")))
    }
    let typed = try words("")
    #expect(typed.contains(0xff) && typed.contains(0xfe))
    #expect(try words("'\(Toolchain.firstlight)' \(command) -- ") == typed)
  }

  @Test(arguments: [
    (["lanch"], "there is no command 'lanch'; did you mean 'launch'?"),
    (["fleet", "ded"], "there is no command 'ded'; did you mean 'dead'?"),
    (["help", "tset"], "there is no command 'tset'; did you mean 'test'?"),
    (
      ["test", "--filter", "Cart"],
      "unknown option '--filter'; options of the test runner come after --: "
        + "firstlight test -- --filter NAME"
    ),
    (["dead", "--fromat", "json"], "unknown option '--fromat'; did you mean '--format'?"),
  ])
  func aSlipIsAnsweredWithTheNearestWord(words: [String], text: String) throws {
    let result = try Command.run([Toolchain.firstlight] + words)
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("firstlight: error: \(text)\n"), "\(result.errors)")
  }

  @Test(arguments: [
    ["--help"], ["--version"], ["dead", "--help"], ["help", "record"], ["fleet", "--help"],
    ["prune", "--help"],
  ])
  func helpThatCannotBeWrittenIsAnError(words: [String]) throws {
    let result = try Command.run(
      ["sh", "-c", "\"$@\" >/dev/full", "sh", Toolchain.firstlight] + words)
    #expect(result.status == 74)
    #expect(
      result.errors.hasSuffix("standard output: cannot write: No space left on device\n"),
      "\(result.errors)")
  }

  /// As one types it who has just built the program.
  @Test(arguments: [["launch"], ["record"], ["record", "--no-rebuild"]])
  func aProgramThatIsHereAndNotOnPATHIsPointedOut(words: [String]) throws {
    let program = try Fixture.c(Self.source)
    let name = URL(filePath: program.executable).lastPathComponent
    let result = try run(words + [name], in: program, status: 127)
    #expect(result.errors.contains("./\(name)"), "\(result.errors)")
  }

  @Test(arguments: [[], ["launch"], ["fleet"], ["fleet", "dead"]])
  func everyCommandTellsTheVersion(words: [String]) throws {
    let version = try Command.check([Toolchain.firstlight, "--version"])
    #expect(try Command.check([Toolchain.firstlight] + words + ["--version"]) == version)
  }

  @Test func theFormatFollowsTheFilesName() throws {
    let program = try Fixture.c(Self.source)
    let start = program.executable
    for (words, command) in [
      (["launch"], [start]), (["compare", "--warm", start, start], []),
      (["gate", "--against", start], [start]),
    ] {
      let file = program.directory.path("\(words[0]).json")
      let result = try Command.run(
        [Toolchain.firstlight] + words + ["-o", file] + command, in: program.directory.url)
      // A gate may be inconclusive here.
      #expect([0, 1, 125].contains(result.status), "\(result.errors)")
      #expect(result.output == "")
      #expect(result.errors.contains("wrote \(file)"))
      let data = try Data(contentsOf: URL(filePath: file))
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: data) }
    }
    let page = program.directory.path("launch.html")
    _ = try run(["launch", "-o", page, start], in: program)
    #expect(try String(contentsOfFile: page, encoding: .utf8).hasPrefix("<!DOCTYPE html>"))
  }

  @Test func aLineIsWaitedForByEveryCommand() throws {
    let program = try Fixture.c(
      """
      #include <stdio.h>
      #include <unistd.h>
      int main(void) { printf("up and running\\n"); pause(); }
      """)
    let start = program.executable
    let recorded = try run(
      ["record", "--no-rebuild", "--until", "line:and run", start], in: program)
    #expect(recorded.output == "up and running\n")
    #expect(try Answer.order([program.directory.path("program.flp")]).contains("main"))
    for words in [["compare", "--warm"], ["gate", "--max-regression", "1", "--against"]] {
      let measured = try run(words + [start, "--until", "line:and run", start], in: program)
      #expect(measured.output.contains("line:and run"), "\(measured.output)")
    }
    let late = try run(
      ["compare", "--warm", "--until", "line:none", "--timeout", "200ms", start, start],
      in: program, status: 65)
    #expect(late.errors.contains("last output: up and running"), "\(late.errors)")
  }

  @Test(arguments: [
    ("TERM=xterm", "", true), ("TERM=xterm NO_COLOR=1", "", false), ("TERM=dumb", "", false),
    ("TERM=xterm", "| cat", false),
  ])
  func verdictsHaveColoursOnTerminals(environment: String, pipe: String, isColoured: Bool) throws {
    let program = try Fixture.c(Self.source)
    let app = program.executable
    let gate = "\(Toolchain.firstlight) gate --runs 10 --against \(app) \(app)"
    // SwiftPM sets NO_COLOR for tests.
    let result = try Command.run(
      ["script", "-qc", "env -u NO_COLOR \(environment) \(gate) \(pipe)", "/dev/null"],
      environment: ["PATH": "/usr/bin:/bin"])
    // Progress lines have sequences too, but no colours.
    #expect(result.output.contains("\u{1b}[32m") == isColoured, "\(result.output)")
    #expect(result.output.contains("fine"), "\(result.output)")
  }

  @Test func aProgramGetsItsSurroundings() throws {
    let program = try Fixture.c(Self.source)
    let input = try program.directory.write("a\n", to: "input")
    let ready = program.directory.path("ready")
    let script = """
      test -e \(ready) && test "$PLACE" = here && rm \(ready) && exec \(program.executable) x
      """
    let settings = ["--env", "PLACE=here", "--stdin", input, "--prepare", "touch \(ready)"]
    for words in [
      ["launch", "--no-calls"], ["gate", "--max-regression", "1", "--against", "/bin/sh"],
    ] {
      let result = try Command.run(
        [Toolchain.firstlight] + words + settings + ["/bin/sh", "-c", script])
      #expect([0, 125].contains(result.status), "\(result.errors)")
    }
    _ = try run(
      ["compare", "--warm", "/bin/sh", "/bin/sh"] + settings + ["--", "-c", script], in: program)
    let recorded = try run(
      [
        "record", "-o", program.directory.path("env.flp"), "--env", "PLACE=here", "/bin/sh", "-c",
        "test \"$PLACE\" = here && exec \(program.executable) x",
      ], in: program)
    #expect(recorded.errors.contains("recorded"))
    let failed = try run(
      ["launch", "--prepare", "echo oh; exit 3", program.executable], in: program, status: 65)
    #expect(
      failed.errors
        == "firstlight: error: the preparation ended with exit status 3; last output: oh; run it by "
        + "hand: echo oh; exit 3\n")
    let missing = try run(
      ["launch", "--stdin", "/nowhere/input", program.executable], in: program, status: 66)
    #expect(missing.errors.contains("/nowhere/input: cannot read: No such file"))
  }
}
