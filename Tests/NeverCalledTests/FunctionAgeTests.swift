import FirstlightModel
import Testing

@testable import NeverCalled

/// Since when nothing called a function.
@Suite struct FunctionAgeTests {
  private func age(_ name: String, _ builds: RecordedBuild..., runs: Int) throws -> FunctionAge? {
    let profile = Profile(builds: builds, runs: (0..<runs).map { Example.run("r\($0)") })
    let report = DeadCodeReport(of: profile)
    let row = try #require(report.functions.first { $0.name == name })
    return FunctionAge(of: row, report.observation)
  }

  private let both = [Example.function("used"), Example.function("idle", line: 5)]

  @Test func buildThatAllRunsLoadedIsAsOldAsTheFirstRun() throws {
    let build = Example.build(both, called: ["used": 3], runs: 3, firstSeen: 107)
    #expect(try age("idle", build, runs: 3) == FunctionAge(since: 100, runs: 3, builds: 1))
    #expect(try age("used", build, runs: 3) == nil)
  }

  @Test func oldestBuildWithTheFunctionCounts() throws {
    let first = Example.build(
      [both[0]], called: ["used": 1], runs: 1, id: "aa", firstSeen: 101)
    let second = Example.build(both, called: ["used": 2], runs: 2, id: "bb", firstSeen: 103)
    let third = Example.build(both, called: ["used": 4], runs: 4, id: "cc", firstSeen: 105)
    #expect(
      try age("idle", first, second, third, runs: 7)
        == FunctionAge(since: 103, runs: 6, builds: 2))
  }

  @Test func buildWithoutCallsHasNoDate() throws {
    let used = Example.build([both[0]], called: ["used": 1], runs: 1, id: "aa")
    let silent = Example.build([both[1]], runs: 1, id: "bb")
    #expect(try age("idle", used, silent, runs: 2) == FunctionAge(since: nil, runs: 1, builds: 1))
  }
}
