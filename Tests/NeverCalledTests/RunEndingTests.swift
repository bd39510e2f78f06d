import FirstlightModel
import NeverCalled
import Testing

/// What lists say of runs that did not end well.
@Suite struct RunEndingTests {
  @Test func onlyFailuresAndSignalsAreBad() {
    #expect(!RunEnding.exited(0).isBad && !RunEnding.other("stopped when ready").isBad)
    #expect(RunEnding.exited(3).isBad && RunEnding.signalled(15).isBad)
  }

  @Test(
    arguments: [
      (.exited(3), "exit status 3", "ended with exit status 3"),
      (.signalled(2), "killed by signal 2 (Interrupt)", "interrupted by signal 2 (Interrupt)"),
      (.signalled(6), "killed by signal 6 (Aborted)", "killed by signal 6 (Aborted)"),
      (.other("stopped after 10 s"), "stopped after 10 s", "stopped after 10 s"),
    ] as [(RunEnding, String, String)])
  func onlySignalsThatAskToEndInterrupt(ending: RunEnding, outcome: String, text: String) {
    #expect(ending.outcome == outcome && ending.text == text)
    #expect(ending.isInterrupted == text.hasPrefix("interrupted"))
  }

  @Test func namedAndUnlistedRunsAreCounted() {
    var profile = Profile(runs: [Example.run("a"), Example.run("b")])
    profile.runs[1].ending = .exited(1)
    for ending in [RunEnding.exited(1), .signalled(15), .other("unknown")] {
      profile.unlisted.add(start: 1, end: 2, host: "h", ending: ending, problems: [])
    }
    let endings = Observation(of: profile).badEndings
    #expect(endings.map(\.count) == [2, 1])
    #expect(endings.map(\.ending) == [.exited(1), .signalled(15)])
  }
}
