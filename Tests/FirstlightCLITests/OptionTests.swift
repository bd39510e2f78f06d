import ArgumentParser
import ProcessControl
import Reports
import Startup
import Testing

@testable import FirstlightCLI

/// The values that options take.
@Suite struct OptionTests {
  @Test(
    arguments: [
      (nil, nil, .text), (nil, "launch.json", .json), (nil, "LAUNCH.HTML", .html),
      (nil, "out/page.htm", .html), (nil, "notes.txt", .text), (nil, "a.folded", .folded),
      (nil, "-", .text), (nil, "launch", .text), (nil, "app.flp", .text),
      (nil, "results.json/launch", .text), (.chrome, "launch.html", .chrome),
    ] as [(LaunchCommand.Format?, String?, LaunchCommand.Format)])
  func theFormatFollowsTheFileUnlessItIsGiven(
    given: LaunchCommand.Format?, file: String?, format: LaunchCommand.Format
  ) {
    #expect(LaunchCommand.Format.chosen(given, for: file) == format)
  }

  @Test func markdownHasAShortName() {
    #expect(ComparisonFormat.chosen(nil, for: "result.md") == .markdown)
    // There is no such format of launch.
    #expect(LaunchCommand.Format.chosen(nil, for: "result.md") == .text)
  }

  @Test(
    arguments: [
      ("0.01", 0.01), ("1%", 0.01), ("100%", 1), ("1", 1), ("2.5%", 0.025), ("1e-3", 0.001),
    ])
  func sharesArePartsOrPercents(text: String, value: Double) throws {
    let share = try #require(Share(argument: text))
    #expect(abs(share.value - value) < 1e-15)
  }

  @Test(arguments: [
    "", "%", "0", "0%", "-1%", "1.01", "101%", "nan", "inf", "a half", "5 %", "5%%",
  ])
  func whatIsNoShareIsRefused(text: String) {
    #expect(Share(argument: text) == nil)
  }

  @Test func timesAreThoseOfReadiness() {
    #expect(TimeSpan(argument: "500ms")?.seconds == 0.5)
    #expect(TimeSpan(argument: "7d")?.seconds == 604_800)
    #expect(TimeSpan(argument: "90") == nil && TimeSpan(argument: "-1s") == nil)
    #expect(TimeoutOption.standard.defaultValueDescription == "30.0 s")
  }

  @Test func variablesAreSetInTheirOrder() throws {
    let options = try SurroundingsOptions.parse([
      "--env", "A=1", "--env", "B=x=y", "--env", "C=", "--env", "A=2", "--stdin", "in", "--prepare",
      "make clean",
    ])
    let surroundings = options.surroundings
    #expect(surroundings.environment == ["A": "2", "B": "x=y", "C": ""])
    #expect(surroundings.input == "in" && surroundings.preparation == "make clean")
    let none = try SurroundingsOptions.parse([]).surroundings
    #expect(none.environment.isEmpty && none.input == nil && none.preparation == nil)
  }

  @Test(arguments: ["A", "", "=", "=A", "=A=1", "=="])
  func aVariableNeedsAName(text: String) {
    let error = #expect(throws: (any Error).self) {
      try SurroundingsOptions.parse(["--env", text])
    }
    let message = error.map { SurroundingsOptions.message(for: $0) }
    #expect(message == "--env takes NAME=VALUE, not '\(text)'.")
  }

  @Test func rowsOfAGateAreChosenAndLeftOut() throws {
    func judged(_ words: String...) throws -> Set<GateRow> {
      try GateRowOptions.parse(words).judged
    }
    #expect(try judged() == Set(GateRow.allCases))
    #expect(try judged("--judge", "time,faults") == [.time, .majorFaults, .minorFaults])
    #expect(try judged("--ignore", "faults,order").isDisjoint(with: [.minorFaults, .order]))
    #expect(
      try judged("--judge", "faults", "--ignore", "major-faults") == [.minorFaults])
    // Time depends on what others do there.
    #expect(try !judged("--shared-runner").contains(.time))
    #expect(try judged("--shared-runner", "--judge", "time") == [.time])
    for words in [["--judge", "tyme"], ["--ignore", "time faults"], ["--judge", ""]] {
      #expect(throws: (any Error).self) { try GateRowOptions.parse(words) }
    }
    #expect(throws: (any Error).self) { try judged("--judge", "time", "--ignore", "time") }
  }

  @Test(
    arguments: [
      (["app"], ["app"]), (["--", "app"], ["app"]),
      (["app", "--runs", "3"], ["app", "--runs", "3"]),
      (["app", "--", "x"], ["app", "x"]), (["--", "-app"], ["-app"]),
      (["--", "--", "x"], ["--", "x"]),
    ])
  func whatFollowsTheProgramIsTheProgramsOwn(words: [String], command: [String]) throws {
    #expect(try ProgramArguments.parse(words).command == command)
  }

  @Test(arguments: [
    ("1024", true), ("4096", true), ("1073741824", true), ("512", false),
    ("4095", false), ("12288", false), ("2147483648", false), ("0", false),
  ])
  func pagesArePowersOfTwo(size: String, isTaken: Bool) {
    #expect(
      (try? OrderChecks.parse(["--page-size", size]))?.pageSize.description
        == (isTaken ? size : nil))
  }
}
