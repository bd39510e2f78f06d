import FirstlightModel
import Ordering
import Startup
import Testing

/// Spans: where they hang, how long they last, what is their own.
@Suite struct NestingTests {
  private typealias Call = SyntheticProfile.Call

  private func spans(_ profile: Profile) throws -> [String: TimelineSpan] {
    let timeline = try Timeline(of: profile)
    return Dictionary(
      timeline.spans.map { (timeline.functions[$0.function].name, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  private func parents(_ timeline: Timeline) -> [String: String] {
    var parents: [String: String] = [:]
    for span in timeline.spans where span.parent >= 0 {
      parents[timeline.functions[span.function].name] =
        timeline.functions[timeline.spans[span.parent].function].name
    }
    return parents
  }

  @Test func callsHangUnderTheirCallersAndOwnTimesAddUp() throws {
    let timeline = try Timeline(
      of: SyntheticProfile.profile([
        Call(name: "main", start: 0, duration: 100),
        Call(name: "a", start: 10, duration: 50, parent: 0),
        Call(name: "b", start: 20, duration: 30, parent: 1),
        Call(name: "c", start: 70, duration: 20, parent: 0),
      ]))
    #expect(parents(timeline) == ["a": "main", "b": "a", "c": "main"])
    #expect(timeline.spans.map(\.selfTime) == [30, 20, 30, 20])
    #expect(timeline.spans.map(\.depth) == [0, 1, 2, 1])
    #expect(timeline.spans.reduce(0) { $0 + $1.selfTime } == 100)
  }

  @Test func aRecordingWithoutReturnsHasMomentsOnly() throws {
    let timeline = try Timeline(
      of: SyntheticProfile.profile(
        [
          Call(name: "main", start: 5_000_000, duration: nil),
          Call(name: "a", start: 6_000_000, duration: nil),
        ], hasReturns: false, readyAfter: 0.020))
    #expect(timeline.spans.allSatisfy { $0.isMoment && $0.ending == .notSeen && $0.parent == -1 })
    #expect(!timeline.hasReturns)
    #expect(timeline.end == 20_000_000)
    let quiet = timeline.quietTimes(of: 0)
    #expect(quiet.map(\.duration) == [14_000_000, 1_000_000])
    #expect(quiet.map(\.before) == [nil, 1])
    let tree = timeline.startupTree()
    #expect(tree.unit == .calls)
    #expect(tree.nodes[0].total == 2)
  }

  @Test func unknownsAreMarkedNotGuessed() throws {
    let spans = try spans(SyntheticProfile.whole())
    #expect(spans["main"]?.duration == .atLeast(400_000))
    #expect(spans["main"]?.ending == .running)
    #expect(spans["parse"]?.ending == .tailCall)
    #expect(spans["resume"]?.ending == .asynchronous)
    // Unwound: it lasted at least as long as what it called.
    #expect(spans["thrower"]?.duration == .atLeast(30_000))
    #expect(spans["thrower"]?.ending == .unwound)
    // So some of what is left to its caller may be its own.
    #expect(spans["main"]?.isSelfTimeAtMost == true)
    #expect(spans["thrower"]?.isSelfTimeAtMost == false)
    #expect(spans["_start"]?.isSelfTimeAtMost == false)
  }

  @Test func anInitializerAndItsOwnFirstCallAreOne() throws {
    let timeline = try Timeline(of: SyntheticProfile.whole())
    let found = timeline.spans.filter(\.isInitializer)
    let run = try #require(found.first)
    #expect(found.count == 1)
    #expect(timeline.functions[run.function].name == "setup<tables>")
    #expect(timeline.functions[run.function].file == "/x/main.c")
    #expect(run.duration == .exactly(190_000))
    #expect(parents(timeline)["setup<tables>"] == "_start")
    #expect(parents(timeline)["helper;of setup"] == "setup<tables>")
    #expect(timeline.spans.count == 10)
  }

  @Test func initializersTakeInTheCallsThatBeginInThem() throws {
    let launch = LaunchRecord(initializers: [
      InitializerRun(
        image: "/x/lib.so", name: "", address: 0x40, thread: 100, start: 10, duration: 30,
        minorFaults: 0, majorFaults: 0)
    ])
    let calls = [
      Call(name: "in", start: 15, duration: 10), Call(name: "in too", start: 30, duration: 5),
      Call(name: "behind", start: 50, duration: 5),
    ]
    let timeline = try Timeline(of: SyntheticProfile.profile(calls, launch: launch))
    let name = "initializer at 0x40"
    #expect(parents(timeline) == ["in": name, "in too": name])
    #expect(timeline.spans.map(\.selfTime) == [15, 10, 5, 5])
    // Without returns the same holds: they are moments in it.
    let moments = try Timeline(
      of: SyntheticProfile.profile(calls, hasReturns: false, launch: launch))
    #expect(parents(moments) == ["in": name, "in too": name])
    #expect(moments.spans.map(\.isMoment) == [false, true, true, true])
  }

  @Test func aCallThatOutlastsAnInitializerIsNotInIt() throws {
    let launch = LaunchRecord(initializers: [
      InitializerRun(
        image: "/x/lib.so", name: "", address: 0x40, thread: 100, start: 10, duration: 5000,
        minorFaults: 0, majorFaults: 0)
    ])
    let timeline = try Timeline(
      of: SyntheticProfile.profile(
        [Call(name: "_start", start: 4000, duration: 90_000)], launch: launch))
    #expect(timeline.spans.map(\.parent) == [-1, -1])
    #expect(timeline.spans.map(\.end) == [5010, 94_000])
  }

  @Test func spansThatDoNotFitAreCutAndCounted() throws {
    let timeline = try Timeline(
      of: SyntheticProfile.profile([
        Call(name: "main", start: 0, duration: 10_000),
        Call(name: "a", start: 5000, duration: 9000, parent: 0),
        Call(name: "b", start: 9000, duration: 1500, parent: 0),
      ]))
    #expect(timeline.spans.map(\.end) == [10_000, 10_000, 10_000])
    #expect(timeline.spans[0].selfTime == 5000)
    #expect(timeline.processes[0].cutSpans == 1)
    #expect(timeline.spans[2].length == 0)
  }

  @Test func parentsThatCannotBeAreNotBelieved() throws {
    let timeline = try Timeline(
      of: SyntheticProfile.profile([
        Call(name: "a", start: 0, duration: 10, parent: 2),
        Call(name: "b", start: 20, duration: 10, parent: 0, thread: 101),
        Call(name: "c", start: 40, duration: 10, parent: 99),
        Call(name: "d", start: 60, duration: 10, parent: 2),
      ]))
    // `c` is over when `d` begins, but only the recorder knows: its word counts while `c` is open.
    #expect(parents(timeline) == ["d": "c"])
    #expect(timeline.spans.allSatisfy { $0.end >= $0.start })
  }

  @Test func twentyThousandNestedCallsAreNoTrouble() throws {
    let count = 20_000
    let calls = (0..<count).map { index in
      RecordedCall(build: 0, guardIndex: UInt32(index), thread: 100, time: UInt64(index))
    }
    var profile = SyntheticProfile.profile([])
    profile.builds[0].build.guardCount = count
    profile.processes[0] = RecordedProcess(
      id: "p", run: "run", pid: 100, parentPID: 1, forkedFrom: nil, path: "/x/program",
      arguments: [], startedAt: 1000, readyAfter: nil, losses: Losses(), calls: calls)
    profile.processes[0].returns = calls.indices.map {
      CallOutcome(
        parent: Int32($0) - 1, duration: UInt64(2 * (count - $0)), ending: .returned,
        minorFaults: 0, majorFaults: 0)
    }
    let timeline = try Timeline(of: profile)
    #expect(timeline.spans.last?.depth == count - 1)
    let tree = timeline.startupTree()
    #expect(tree.nodes.reduce(0) { $0 + $1.weight } == tree.nodes[0].total)
  }
}
