import FirstlightModel
import Testing

/// A bounded sample of traces: counts keep all runs, and the sample tells nothing of how it was made.
@Suite struct TraceSampleTests {
  private let runs = (0..<12).map { Example.profile(run: "run \($0)", calls: [UInt32($0 % 4)]) }

  @Test func countsKeepAllRuns() throws {
    let merged = try merge(runs, limit: 5)
    #expect(merged.builds[0].coverage.map(\.runs) == [3, 3, 3, 3])
    #expect(merged.builds[0].runs == 12)
    #expect(merged.processes.count { !$0.calls.isEmpty } == 5)
    #expect(merged.processes.count { $0.isTraceLeftOut && $0.callCount == 1 } == 7)
  }

  @Test func theSampleIsTheSameInWhateverOrder() throws {
    let forward = kept(try merge(runs, limit: 5))
    #expect(kept(try merge(runs.reversed(), limit: 5)) == forward)
    var halves = try merge(Array(runs[0..<6]), limit: 5)
    try halves.merge(try merge(Array(runs[6...]), limit: 5))
    halves.keepTraces(atMost: 5)
    #expect(kept(halves) == forward)
  }

  @Test func aProfileMergedTwiceChangesNothing() throws {
    var merged = try merge(runs, limit: 5)
    let before = merged
    try merged.merge(before)
    try merged.merge(runs[3])
    merged.keepTraces(atMost: 5)
    #expect(merged.builds[0].coverage == before.builds[0].coverage)
    #expect(kept(merged) == kept(before))
  }

  @Test func aWholeProfileTakesInItsPart() throws {
    var part = runs[0]
    try part.merge(try merge(runs, limit: 5))
    #expect(part.builds[0].coverage.map(\.runs) == [3, 3, 3, 3])
    #expect(part.runs.count == 12)
  }

  @Test func aSharedRunWithoutItsTraceIsRefused() throws {
    var first = try merge(Array(runs[0..<3]), limit: 1)
    let second = try merge(Array(runs[1..<4]), limit: 1)
    let failure = try #require(throws: Failure.self) { try first.merge(second) }
    #expect(failure.kind == .data)
    #expect(failure.advice.contains("--max-traces"))
  }

  @Test func aForkedProcessStaysWithItsParent() throws {
    var families: [Profile] = []
    for index in 0..<6 {
      var profile = runs[index]
      var child = profile.processes[0]
      child.forkedFrom = child.id
      child.id += "-child"
      profile.processes.append(child)
      families.append(profile)
    }
    let merged = try merge(families, limit: 5)
    for run in merged.runs {
      let own = merged.processes.filter { $0.run == run.id }
      #expect(Set(own.map(\.isTraceLeftOut)).count == 1)
    }
    #expect(merged.processes.count { !$0.calls.isEmpty } == 4)
  }

  @Test func marksGoAndStayWithTheirTrace() throws {
    let marked = runs.map { run in
      var run = run
      run.processes[0].marks = [
        ProgramMark(name: run.runs[0].id, thread: 1, time: 0, kind: .mark)
      ]
      return run
    }
    let merged = try merge(marked, limit: 5)
    for process in merged.processes {
      #expect(process.marks.map(\.name) == (process.isTraceLeftOut ? [] : [process.run]))
    }
    var again = merged
    for run in marked { try again.merge(run) }
    #expect(again.processes.allSatisfy { $0.marks.map(\.name) == [$0.run] })
  }

  /// Programs without guards may mark: their processes are sampled all the same.
  @Test func marksWithoutCallsAreSampledToo() throws {
    let marked = runs.map { run in
      var run = run
      let called = run.processes[0]
      var process = RecordedProcess(
        id: called.id, run: called.run, pid: 1, parentPID: 0, forkedFrom: nil, path: called.path,
        arguments: [], startedAt: 1, readyAfter: nil, losses: called.losses, calls: [])
      process.marks = [ProgramMark(name: "m", thread: 1, time: 0, kind: .mark)]
      run.processes = [process]
      return run
    }
    func kept(_ profile: Profile) -> [String] {
      profile.processes.filter { !$0.marks.isEmpty }.map(\.run).sorted()
    }
    let forward = kept(try merge(marked, limit: 5))
    #expect(forward.count == 5)
    #expect(kept(try merge(marked.reversed(), limit: 5)) == forward)
  }

  private func merge(_ profiles: [Profile], limit: Int) throws -> Profile {
    var merged = profiles[0]
    for profile in profiles.dropFirst() {
      try merged.merge(profile)
      merged.keepTraces(atMost: limit)
    }
    return merged
  }

  private func kept(_ profile: Profile) -> [String] {
    profile.processes.filter { !$0.calls.isEmpty }.map(\.run).sorted()
  }
}
