import ArgumentParser
import FirstlightModel
import ProcessControl
import TestSupport
import Testing

@testable import FirstlightCLI

/// What commands take and refuse before they do anything.
@Suite struct CommandTests {
  @Test(
    arguments: [
      ("launch", "Nothing to start: firstlight launch PROGRAM -- ARG ..."),
      ("launch --runs 0 app", "--runs must be 1 to 1000."),
      ("launch --no-calls --image x app", "--image adds traced calls: leave out --no-calls."),
      ("launch --no-calls -o a.html app", "leave out --no-calls."),
      ("launch --no-calls --profile a.flp app", "leave out --no-calls."),
      ("launch --rums 3 app", "Unknown option '--rums'."),
      ("launch --until port:0 app", "The value 'port:0' is invalid for '--until <event>'"),
      ("gate app", "pass --baseline FILE or --against BINARY."),
      ("gate --against old", "Nothing to start"),
      ("gate --against old --runs 9 app", "--runs must be 10 to 250"),
      ("gate --against old --runs 251 app", "--runs must be 10 to 250"),
      ("gate --against old --write-baseline app", "--write-baseline needs --baseline FILE"),
      ("gate --baseline b --against old --write-baseline app", "and excludes --against."),
      ("gate --baseline b --timeline t.html app", "--timeline needs --against BINARY."),
      ("gate --against old --until 5s app", "--until cannot be a time here"),
      ("gate --against old --max-regression 0 app", "'0' is invalid"),
      ("compare a", "Missing expected argument '<binary-b>'"),
      ("compare a b --runs 4", "--runs must be 5 to 1000"),
      ("compare a b --cold --warm", "Choose either --cold or --warm."),
      ("compare a b --drop-caches --warm", "leave out --warm."),
      ("optimize --binary a --build b --recorded-runs 0", "--recorded-runs must be 1 to 100."),
      ("optimize --binary a --build b --runs 1001", "--runs must be 5 to 1000"),
      ("optimize --binary a --build b --cold --warm", "Choose either --cold or --warm."),
      ("optimize --binary a --build b --also magic", "'magic' is invalid"),
      ("optimize --binary a --build b --without magic", "'magic' is invalid"),
      ("record", "Nothing to run: firstlight record PROGRAM -- ARG ..."),
      ("record --directory d app", "--directory runs nothing: leave out the command."),
      ("record --directory d --no-rebuild", "leave out --directory."),
      ("record --until 5s --timeout 9s app", "leave out --timeout."),
      ("record --until bogus app", "'--until <event>': use exit, ready, port:N (1 to 65535), "),
      ("record --until prt:80 app", "line:TEXT, or a time such as 500ms, 10s"),
      ("launch --until 5 app", "or a time such as 500ms"),
      ("compare a b --until port:abc", "port:N (1 to 65535)"),
      ("gate --against old --until http:x app", "http:N/PATH"),
      ("record --image x app", "--image needs --no-rebuild"),
      ("order a.flp --min-hit-rate 0.5", "--min-hit-rate needs --binary"),
      ("order a.flp --binary b --min-hit-rate 1.5", "--min-hit-rate must be between 0 and 1."),
      ("order a.flp --page-size 5000", "--page-size must be a power of two"),
      ("merge a.flp -o b.flp --max-traces 0", "--max-traces must be 1 or more."),
      ("timeline a.flp --limit -1", "'--limit"),
      ("timeline a.flp -o a.csv", "a.csv: unknown extension"),
      ("dead a.flp -o a.pdf", "a.pdf: unknown extension"),
      ("size app -o app.docx", "app.docx: unknown extension"),
      ("launch -o a.pdf app", "a.pdf: unknown extension"),
      ("timeline a.flp --against b.flp --format folded", "only the formats text and html"),
      ("timeline a.flp --against b.flp -o a.json", "only the formats text and html"),
      (
        "flags swiftpm --order a --gated",
        "leave out --gated, --no-inlining, --counters and"
      ),
      ("flags gcc --gated", "entry hooks have no variants"),
      ("flags clang --entry-hooks --no-inlining", "entry hooks have no variants"),
      ("flags swiftc --entry-hooks", "--entry-hooks is for clang and gcc"),
      ("flags icc", "'icc' is invalid"),
      ("test --build make", "--build needs --run, the command that runs the tests."),
      ("dead --path-map old", "--path-map must be FROM=TO, not 'old'."),
      ("dead --path-map =new", "--path-map must be FROM=TO, not '=new'."),
      ("dead --min-runs 0", "--min-runs must be 1 or more."),
      ("dead --below 0", "'0' is invalid"),
    ])
  func aWrongCommandLineIsRefusedWithItsReason(line: String, reason: String) throws {
    let refusal = try #require(
      CommandTree.refusal(line.split(separator: " ").map(String.init)), "taken")
    #expect(refusal.contains(reason), "\(refusal)")
  }

  @Test(arguments: [
    "launch --runs 1000 app --runs 0", "launch --no-calls -o a.json app",
    "launch --until line:up app", "gate --against old --runs 10 -- app -x",
    "gate --baseline b --against old app", "gate --baseline b --write-baseline app",
    "compare a b --cold --drop-caches -- --runs 1", "record --directory d -o a.flp",
    "record --no-rebuild --image x --until 5s app", "order a.flp --binary b --min-hit-rate 1",
    "timeline a.flp --against b.flp -o -", "timeline a.flp -o a.CHROME --format chrome",
    "flags swiftpm --order a", "flags gcc", "flags gcc --order a", "flags clang --entry-hooks",
    "test -- --filter x", "test --run ./check", "dead",
    "dead --below 1%",
  ])
  func aRightCommandLineIsTaken(line: String) {
    #expect(CommandTree.refusal(line.split(separator: " ").map(String.init)) == nil)
  }

  /// The program's arguments stand behind `--`, with all commands; the ways without it stay.
  @Test(
    arguments: [
      ("app", ["app"]), ("app -- -x --runs 1", ["app", "-x", "--runs", "1"]),
      ("app -x", ["app", "-x"]), ("-- app -x", ["app", "-x"]),
      ("-- app -- -x", ["app", "--", "-x"]),
      ("app -- -- -x", ["app", "--", "-x"]), ("app -x -- y", ["app", "-x", "--", "y"]),
    ])
  func aProgramsArgumentsStandBehindTwoDashes(line: String, command: [String]) throws {
    let words = line.split(separator: " ").map(String.init)
    #expect(try LaunchCommand.parse(["--runs", "3"] + words).program.command == command)
    #expect(try RecordCommand.parse(["-o", "a.flp"] + words).program.command == command)
    #expect(try GateCommand.parse(["--against", "old"] + words).program.command == command)
  }

  @Test func commandsOfOtherShapesTakeThemToo() throws {
    let arguments = ["--", "-x", "y"]
    #expect(try CompareCommand.parse(["a", "b"] + arguments).arguments == ["-x", "y"])
    #expect(try LibrariesCommand.parse(["a"] + arguments).file == "a")
    let optimize = ["--binary", "a", "--build", "b"]
    #expect(try OptimizeCommand.parse(optimize + arguments).arguments == ["-x", "y"])
    let variables = try OptimizeCommand.parse(optimize + ["--env", "A=1", "--env", "A=2"]).variables
    #expect(variables.environment == ["A": "2"])
    #expect(throws: (any Error).self) {
      try RecordCommand.parse(["--attach", "1", "--env", "A=1"])
    }
  }

  @Test(
    arguments: [
      (["launch", "--version"], true), (["--version"], true),
      // The program's own.
      (["launch", "app", "--version"], false), (["record", "--", "app", "--version"], false),
      (["help", "--version"], false), (["launhc", "--version"], false),
    ])
  func theVersionIsAskedForBehindCommandsAlone(words: [String], isAsked: Bool) {
    #expect(CommandWords(words).askForVersion == isAsked)
  }

  @Test func onlyAWordInACommandsPlaceHasToBeOne() {
    for words in [["help", "launch"], ["launch", "lanch"], ["--help"], [], ["fleet", "xyz"]] {
      #expect(throws: Never.self) { try CommandWords(words).check() }
    }
    let failure = #expect(throws: Failure.self) { try CommandWords(["lanch"]).check() }
    #expect(failure?.kind == .usage)
    #expect(failure?.problem == "there is no command 'lanch'; did you mean 'launch'?")
  }

  /// firstlightd's program has these commands, and reports what is wrong with them.
  @Test func commandsOfAFleetAreHandedOn() throws {
    let words = ["dead", "--from", "sqlite:a", "--sort", "bytes", "--help"]
    let fleet = try #require(try CommandTree.parse(["fleet"] + words, as: FleetCommand.self))
    #expect(fleet.arguments == words)
    let upload = try #require(
      try CommandTree.parse(["upload-symbols", "a", "--to", "b"], as: UploadSymbolsCommand.self))
    #expect(upload.arguments == ["a", "--to", "b"])
  }
}
