import FirstlightModel
import FleetModel
import FleetTestSupport
import Testing

/// The time in which a run was watched is that from its first process's start to its last one's end,
/// however many processes it has and wherever it is counted.
@Suite struct ObservedTimeTests {
  private static let build = Build(
    buildID: BuildID("aa")!, path: "/bin/a", kind: .executable, architecture: "x86_64",
    hasSymbols: true, hasDebugInfo: true, functions: [], entryGuards: [], guardCount: 4)
  private static let key = BuildKey(buildID: build.buildID, recorder: .guards)

  private static func process(_ id: String, at start: Double, parent: String? = nil)
    -> RecordedProcess
  {
    RecordedProcess(
      id: id, run: "r", pid: 1, parentPID: 0, forkedFrom: parent, path: "/bin/a", arguments: [],
      startedAt: start, readyAfter: nil, losses: Losses(),
      calls: [RecordedCall(build: 0, guardIndex: 1, thread: 1, time: 5)])
  }

  /// A shell that executed two programs one after the other, and a fork of one of them.
  @Test func aRecordedRunIsUploadedWithItsOwnSpan() throws {
    let profile = Profile(
      builds: [RecordedBuild(build: Self.build, runs: 1)],
      runs: [
        Run(
          id: "r", command: ["sh"],
          host: Host(name: "h", kernel: "", architecture: "x86_64", processor: "", cores: 1),
          startedAt: 100, endedAt: 103.2, ending: .exited(0), problems: [])
      ],
      processes: [
        Self.process("1-1", at: 100.1), Self.process("2-2", at: 101.5),
        Self.process("3-3", at: 101.6, parent: "2-2"),
      ])
    let traces = try profile.fleetStates(labels: FleetLabels()).flatMap(\.samples)
    #expect(traces.count == 3)
    #expect(abs(traces.reduce(0) { $0 + $1.seconds } - 3.2) < 1e-9)
    // What comes back of them is a run that lasted as long.
    let back = Profile(of: [], traces: traces)
    #expect(back.runs.count == 1)
    #expect(abs(back.runs[0].endedAt - back.runs[0].startedAt - 3.2) < 1e-9)
  }

  /// Start, end and what is counted, in whatever order they come.
  @Test(arguments: [
    [(0.0, 10.0), (2, 5), (5, 12), (20, 21)], [(20, 21), (5, 12), (2, 5), (0, 10)],
    [(2, 5), (20, 21), (0, 10), (5, 12)],
  ])
  func processesOfARunThatOverlapAreWatchedInTheSameTime(spans: [(Double, Double)]) {
    var run = CoverageTally()
    var host = CoverageTally()
    let traces = spans.enumerated().compactMap { number, span in
      CountedProcess(
        ObservedProcess(
          run: "r", process: "\(number)-1", forkedFrom: nil, root: "0-1", host: "h",
          startedAt: 1000 + span.0, seconds: span.1 - span.0, readyAfter: nil, losses: Losses(),
          images: [.init(build: Self.key, name: "/bin/a", isExecutable: true, guardCount: 4)],
          calls: [], callers: []),
        run: &run, host: &host
      ).sample
    }
    #expect(traces.allSatisfy { $0.seconds >= 0 })
    #expect(traces.reduce(0) { $0 + $1.seconds } == 21)
    let back = Profile(of: [], traces: traces)
    #expect(back.runs.map { $0.endedAt - $0.startedAt } == [21])
  }

  /// Of a run whose processes were counted and forgotten, time would be counted twice.
  @Test func aRunOfWhichTheTimeIsNotKnownAddsNone() {
    var run = CoverageTally(isStarted: true)
    var host = CoverageTally()
    var tally = StateTally(labels: FleetLabels())
    let seconds = tally.count(
      ObservedProcess(
        run: "r", process: "1-1", forkedFrom: "0-1", root: "0-1", host: "h", startedAt: 1000,
        seconds: 7, readyAfter: nil, losses: Losses(), images: [], calls: [], callers: []),
      run: &run, host: &host)
    #expect(seconds == 0)
  }
}
