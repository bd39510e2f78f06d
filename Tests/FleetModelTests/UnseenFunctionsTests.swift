import FirstlightModel
import TestSupport
import Testing

@testable import FleetModel

/// What a fleet's profile says of functions that watchers did not see: compared with sets of single functions.
@Suite struct UnseenFunctionsTests {
  private static let count = 200
  private static let build = BuildKey(buildID: BuildID("aa")!, recorder: .breakpoints)
  private static let day = 20_000 * 86400.0

  private struct Watched {
    var isLate: Bool
    var gaps: Set<UInt32> = []
    var called: Set<UInt32> = []

    init(_ random: inout SplitMix64) {
      isLate = Bool.random(using: &random)
      let functions = 0..<UInt32(count)
      if Bool.random(using: &random) { gaps = Set(functions.filter { $0 % 3 == 0 || $0 > 150 }) }
      for function in functions where Int.random(in: 0..<9, using: &random) == 0 {
        called.insert(function)
        if Bool.random(using: &random) { gaps.remove(function) }
      }
      for _ in 0..<5 { gaps.insert(.random(in: functions, using: &random)) }
    }
  }

  private static func observed(
    _ watched: Watched, _ number: Int, at start: Double
  ) -> ObservedProcess {
    var image = ObservedProcess.Image(
      build: build, name: "/usr/bin/a", isExecutable: true, guardCount: count)
    image.unseen = UnseenFunctions(
      gaps: RangeSet(watched.gaps.map { $0..<$0 + 1 }), lacksStart: watched.isLate, of: count)
    image.isWindow = watched.isLate
    return ObservedProcess(
      run: "\(number)", process: "1", forkedFrom: nil, root: "1", host: "h", startedAt: start,
      seconds: 10, readyAfter: nil, losses: Losses(), images: [image],
      calls: watched.called.map { RecordedCall(build: 0, guardIndex: $0, thread: 1, time: 5) },
      callers: [])
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func aFunctionIsUnseenIfNoRecordingSawIt(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let processes = (0..<Int.random(in: 1...4, using: &random)).map { _ in Watched(&random) }
    var coverage = BuildCoverage(
      totals: SeriesTotals(), guards: GuardSums(guardCount: Self.count), callers: [:])
    var rows: [SeriesState] = []
    // Each counts on its host, some on one day.
    for (number, process) in processes.enumerated() {
      var tally = StateTally(labels: FleetLabels())
      var (run, host) = (CoverageTally(), CoverageTally())
      let start = Self.day + (seed % 2 == 0 ? Double(number) * 86400 : 0)
      tally.count(Self.observed(process, number, at: start), run: &run, host: &host)
      for state in tally.states(version: 1) {
        let sent = try state.encoded().withUnsafeBytes { bytes in
          try SeriesState(decoding: bytes)
        }
        rows.append(sent)
        coverage.totals = coverage.totals + sent.totals
        coverage.guards.add(sent.sums)
      }
    }
    coverage.unseen = rows.dropFirst().reduce(rows[0].unseen) { $0.intersection($1.unseen) }
    let table = FunctionTable(
      build: Build(
        buildID: Self.build.buildID, path: "/usr/bin/a", kind: .executable, architecture: "x86_64",
        hasSymbols: true, hasDebugInfo: false, functions: [], entryGuards: [],
        guardCount: Self.count, recorder: .breakpoints), bodies: [])
    let profile = Profile(of: [(table, coverage)], traces: [])
    let recorded = try #require(profile.builds.first)
    let all = (0..<UInt32(Self.count)).filter { index in
      !processes.contains { $0.called.contains(index) }
    }
    let withoutStart = all.filter { index in
      processes.allSatisfy { $0.isLate || $0.gaps.contains(index) }
    }
    let unwatched = all.filter { index in processes.allSatisfy { $0.gaps.contains(index) } }
    #expect(recorded.withoutStart == Set(withoutStart))
    #expect(recorded.unwatched == Set(unwatched))
    let windows = processes.count(where: \.isLate)
    #expect(profile.unlisted.windows == windows)
    #expect(profile.unlisted.windowSeconds == Double(10 * windows))
    #expect(profile.unlisted.runs == processes.count)
  }
}
