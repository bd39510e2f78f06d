import FirstlightModel
import Ordering
import Startup
import Testing

/// What changed between two runs, and which profiles have no timeline.
@Suite struct DifferenceTests {
  private typealias Call = SyntheticProfile.Call

  private let before = SyntheticProfile.profile(
    [
      Call(name: "main", start: 0, duration: 1000),
      Call(name: "load", start: 100, duration: 200, parent: 0),
      Call(name: "old", start: 400, duration: 300, parent: 0),
    ], readyAfter: 0.001)
  private let after = SyntheticProfile.profile(
    [
      Call(name: "main", start: 0, duration: 2000),
      Call(name: "slow", start: 100, duration: 900, parent: 0),
      Call(name: "load", start: 1000, duration: 150, parent: 0),
    ], readyAfter: 0.0015)

  @Test func worstComesFirst() throws {
    let difference = try TimelineDifference(
      before: Timeline(of: before), after: Timeline(of: after))
    #expect(difference.rows.map(\.name) == ["slow", "main", "load", "old"])
    #expect(difference.rows.map(\.selfChange) == [900, 450, -50, -300])
    #expect(difference.rows.map(\.totalChange) == [900, 1000, -50, -300])
    #expect(difference.rows[0].before == nil && difference.rows[3].after == nil)
    #expect(difference.newFunctions == 1 && difference.goneFunctions == 1)
    #expect(difference.moments.map(\.name) == ["ready after"])
    #expect(difference.moments.map(\.change) == [500_000])
  }

  @Test func aRunAgainstItselfHasNoChange() throws {
    let timeline = try Timeline(of: SyntheticProfile.whole())
    let difference = try TimelineDifference(before: timeline, after: timeline)
    #expect(difference.rows.allSatisfy { $0.selfChange == 0 && $0.totalChange == 0 })
    #expect(difference.moments.allSatisfy { $0.change == 0 })
    #expect(difference.moments.count == 8)
  }

  @Test func twoProgramsAreRefused() throws {
    let other = SyntheticProfile.profile(
      [Call(name: "x", start: 0, duration: 1), Call(name: "y", start: 0, duration: 1)],
      path: "/x/other")
    let failure = #expect(throws: Failure.self) {
      try TimelineDifference(before: Timeline(of: before), after: Timeline(of: other))
    }
    #expect(failure?.kind == .data)
    #expect(failure?.problem.contains("program and other") == true)
  }

  @Test func profilesWithoutTracesOrOfSeveralRunsAreRefused() throws {
    var left = before
    left.processes[0].calls = []
    var several = before
    several.runs.append(several.runs[0])
    several.runs[1].id = "another"
    #expect(throws: Failure.self) { try Timeline(of: Profile()) }
    #expect(throws: Failure.self) { try Timeline(of: left) }
    #expect(throws: Failure.self) { try Timeline(of: several) }
    var second = several.processes[0]
    second.pid = 2
    second.run = "another"
    second.startedAt += 1
    several.processes.append(second)
    #expect(try Timeline(of: several.process(100)).processes.map(\.pid) == [100])
    // A process id comes before a place.
    #expect(try several.process(1).processes.map(\.pid) == [100])
    #expect(try several.process(2).processes.map(\.pid) == [2])
    #expect(throws: Failure.self) { try several.process(3) }
  }
}
