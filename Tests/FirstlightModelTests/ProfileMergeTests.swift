import FirstlightModel
import Testing

/// Merging profiles: commutative, associative, and the same run counts once.
@Suite struct ProfileMergeTests {
  private let a = Example.profile(run: "a", calls: [0, 2])
  private let b = Example.profile(run: "b", calls: [2, 3])
  private let c = Example.profile(run: "c", calls: [1])

  @Test func aStartThatOneWindowSawIsKnownToAll() throws {
    var (first, second) = (
      Example.profile(run: "1", calls: []), Example.profile(run: "2", calls: [])
    )
    (first.builds[0].withoutStart, first.builds[0].unwatched) = ([0, 1, 2], [0, 1])
    (second.builds[0].withoutStart, second.builds[0].unwatched) = ([1, 2, 3], [1])
    try first.merge(second)
    #expect(first.builds[0].withoutStart == [1, 2] && first.builds[0].unwatched == [1])
    // A whole run has seen all.
    try first.merge(Example.profile(run: "3", calls: []))
    #expect(first.builds[0].withoutStart == [] && first.builds[0].unwatched == [])
  }

  @Test func runsAddUp() {
    let merged = merge(a, b)
    #expect(merged.runs.map(\.id) == ["a", "b"])
    #expect(merged.builds.count == 1)
    #expect(merged.builds[0].runs == 2)
    #expect(merged.builds[0].coverage.map(\.runs) == [1, 0, 2, 1])
  }

  /// Only some functions of a build may be in the mapping that one reading had.
  @Test func countersAddUpByNameAndFile() throws {
    func counters(_ counts: [String: Int]) -> SourceCounters {
      SourceCounters(
        runs: 1,
        counts.map { name, runs in
          Function(
            code: .counted(GuardCoverage(runs: runs, firstSeen: 5, lastSeen: 6)), name: name,
            demangledName: name, module: "", file: "/a.c", line: 1)
        })
    }
    var (first, second) = (a, b)
    first.builds[0].counters = counters(["f": 1, "g": 0])
    second.builds[0].counters = counters(["f": 1, "h": 1])
    let merged = merge(first, second).builds[0].counters
    #expect(merged.runs == 2)
    #expect(merged.functions.map(\.name) == ["f", "g", "h"])
    #expect(merged.functions.map(\.counted.runs) == [2, 0, 1])
    // Counters are sums: what one of two runs contributed cannot be taken away.
    var both = merge(first, second)
    #expect(throws: Failure.self) { try both.merge(merge(second, c)) }
  }

  @Test func orderOfMergingMakesNoDifference() {
    #expect(counts(merge(a, merge(b, c))) == counts(merge(merge(c, a), b)))
  }

  @Test func mergingTwiceMakesNoDifference() {
    #expect(counts(merge(merge(a, b), b)) == counts(merge(a, b)))
    #expect(counts(merge(a, a)) == counts(a))
  }

  @Test func runsThatTwoProfilesShareCountOnce() {
    let merged = merge(merge(a, b), merge(b, c))
    #expect(Set(merged.runs.map(\.id)) == ["a", "b", "c"])
    #expect(merged.builds[0].coverage.map(\.runs) == [1, 1, 2, 1])
    #expect(merged.processes.count == 3)
  }

  @Test func firstAndLastSeenSpanAllRuns() {
    let early = Example.profile(run: "early", calls: [0], startedAt: 100)
    let late = Example.profile(run: "late", calls: [0], startedAt: 500)
    let seen = merge(late, early).builds[0].coverage[0]
    #expect(seen.firstSeen < 101)
    #expect(seen.lastSeen >= 500)
  }

  @Test func anotherBuildStaysApart() {
    let other = Example.profile(run: "b", calls: [1], build: "bb")
    let merged = merge(a, other)
    #expect(merged.builds.map(\.build.buildID.description) == ["aa", "bb"])
    #expect(merged.processes[1].calls.map(\.build) == [1])
  }

  @Test func anotherRecorderStaysApart() {
    var other = b
    other.builds[0].build.recorder = .breakpoints
    let merged = merge(a, other)
    #expect(merged.builds.map(\.build.recorder) == [.guards, .breakpoints])
    #expect(merged.processes[1].calls.allSatisfy { $0.build == 1 })
    #expect(
      merge(merged, other).builds.map { $0.coverage.map(\.runs) } == [
        [1, 0, 1, 0], [0, 0, 1, 1],
      ])
  }

  @Test func theOrderOfMergingLeavesNoMark() {
    let other = Example.profile(run: "d", calls: [1], build: "99")
    let first = merge(merge(a, other), merge(b, c)).sorted()
    let second = merge(merge(c, b), merge(other, a)).sorted()
    #expect(first.builds.map(\.build.buildID) == second.builds.map(\.build.buildID))
    #expect(first.builds.map(\.coverage) == second.builds.map(\.coverage))
    #expect(first.runs == second.runs)
    #expect(first.processes.map(\.run) == second.processes.map(\.run))
    #expect(first.processes.map(\.calls) == second.processes.map(\.calls))
  }

  @Test func aBuildReadWithSymbolsStandsForOneWithout() {
    var stripped = b
    stripped.builds[0].build.hasSymbols = false
    #expect(merge(a, stripped).builds[0].build.hasSymbols)
    #expect(merge(stripped, a).builds[0].build.hasSymbols)
  }

  private func merge(_ a: Profile, _ b: Profile) -> Profile {
    var merged = a
    #expect(throws: Never.self) { try merged.merge(b) }
    return merged
  }

  private func counts(_ profile: Profile) -> [Int] {
    [profile.runs.count, profile.processes.count, profile.builds[0].runs]
      + profile.builds[0].coverage.map(\.runs)
  }
}

/// A build of four functions f0...f3, and runs of it.
enum Example {
  static func profile(
    run: String, calls: [UInt32], build: String = "aa", startedAt: Double = 100
  ) -> Profile {
    let functions = (0..<4).map { index in
      Function(
        address: UInt64(0x1000 + index * 0x10), size: 16, name: "f\(index)",
        demangledName: "f\(index)", module: "", file: "/src/main.c", line: index + 1,
        isCompilerGenerated: false, isLocal: false)
    }
    let build = Build(
      buildID: BuildID(build)!, path: "/bin/example", kind: .executable, architecture: "x86_64",
      hasSymbols: true, hasDebugInfo: true, functions: functions, entryGuards: [0, 1, 2, 3],
      guardCount: 4)
    let image = Image(
      buildID: build.buildID, path: build.path, loadBias: 0, guardCount: 4, guardsStart: 0,
      drops: 0)
    let trace = Trace(
      process: ProcessID(pid: 1, namespace: 0, start: 1, key: 1), parentPID: 0, forkedFrom: nil,
      path: build.path, arguments: [], clockBase: (1_000, UInt64(startedAt * 1e9)), ready: nil,
      images: [image],
      firstCalls: calls.enumerated().map { place, index in
        FirstCall(
          image: 0, guardIndex: index, thread: 1, sequence: UInt32(place),
          time: UInt64(1_000 + place), caller: UInt64(0x1004 + index * 0x10))
      }, losses: Losses())
    return Profile(
      run: Run(
        id: run, command: ["example"],
        host: Host(name: "h", kernel: "k", architecture: "x86_64", processor: "p", cores: 1),
        startedAt: startedAt, endedAt: startedAt + 1, ending: .exited(0), problems: []),
      traces: [trace], builds: [build], buildIndex: { _ in 0 }, bodyName: { _, _ in nil })
  }
}
