import DeadCode
import FirstlightModel
import Testing

/// What lists say of runs that did not end well.
@Suite struct RunEndingTests {
  private static func run(_ outcome: String) -> Run {
    Run(
      id: outcome, command: ["app"],
      host: Host(name: "h", kernel: "k", architecture: "x86_64", processor: "p", cores: 1),
      startedAt: 100, endedAt: 110, outcome: outcome, problems: [])
  }

  @Test(arguments: [
    "exit status 0", "stopped after 10 s", "stopped when ready", "unknown", "ended",
    "recorded without firstlight record", "imported from lcov", "",
  ])
  func mostEndingsAreGood(outcome: String) {
    #expect(RunEnding(bad: outcome) == nil)
  }

  @Test func signalsThatAskToEndAreToldFromOthers() {
    #expect(
      RunEnding(bad: "killed by signal 2 (Interrupt)")
        == .interrupted(signal: 2, name: "Interrupt"))
    #expect(
      RunEnding(bad: "killed by signal 11 (Segmentation fault)")
        == .killed(signal: 11, name: "Segmentation fault"))
    #expect(RunEnding(bad: "exit status 3") == .failed(status: 3))
    #expect(
      RunEnding(bad: "killed by signal 6 (Aborted)")?.text == "killed by signal 6 (Aborted)")
  }

  @Test func namedAndUnlistedRunsAreCounted() {
    var profile = Profile(runs: [Self.run("exit status 0"), Self.run("exit status 1")])
    for outcome in ["exit status 1", "killed by signal 15 (Terminated)"] {
      profile.unlisted.add(start: 1, end: 2, host: "h", outcome: outcome, problems: [])
    }
    let endings = Observation(of: profile).badEndings
    #expect(endings.map(\.count) == [2, 1])
    #expect(
      endings.map(\.ending) == [.failed(status: 1), .interrupted(signal: 15, name: "Terminated")])
  }
}
