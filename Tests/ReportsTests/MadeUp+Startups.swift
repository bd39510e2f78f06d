import FirstlightModel

@testable import Ordering
@testable import Startup

extension MadeUp {
  private static func stage(
    _ kind: LaunchStage.Kind, _ start: UInt64, _ duration: UInt64
  ) -> LaunchStage {
    LaunchStage(kind: kind, start: start, duration: duration, minorFaults: 5, majorFaults: 1)
  }

  static let timeline: Timeline = {
    func process(_ pid: UInt32, ready: UInt64?, scale: Double?) -> TimelineProcess {
      TimelineProcess(
        pid: pid, parentPID: 1, path: "/bin/program", arguments: ["program"], start: 0, end: 100,
        ready: ready, stages: ready == nil ? [] : [stage(.exec, 0, 10)], callCount: 2,
        hasReturns: true, cutSpans: 1, losses: losses, scale: scale)
    }
    func span(
      at start: UInt64, _ duration: TimelineSpan.Duration, _ ending: TimelineSpan.Ending
    ) -> TimelineSpan {
      TimelineSpan(
        function: 1, thread: 0, parent: -1, depth: 0, start: start, duration: duration,
        selfTime: 30, isSelfTimeAtMost: ending == .running, ending: ending,
        isInitializer: ending != .running, isFirstCall: ending == .running, minorFaults: 2,
        majorFaults: 1)
    }
    return Timeline(
      run: profile.runs[0],
      processes: [
        process(100, ready: 50, scale: 1.25), process(101, ready: nil, scale: nil),
      ],
      threads: [
        TimelineThread(process: 0, id: 100, spans: 0..<4, isMain: true),
        TimelineThread(process: 1, id: 101, spans: 4..<4, isMain: false),
      ],
      functions: [
        TimelineFunction(
          name: "a()", shortName: "a", linkerName: "_Z1av", image: "program", module: "program",
          file: file, line: 3),
        TimelineFunction(
          name: "b", shortName: "b", linkerName: "", image: "libb.so", module: "libb.so", file: nil,
          line: 0),
      ],
      spans: [
        span(at: 20, .exactly(40), .returned),
        span(at: 60, .exactly(40), .tailCall),
        span(at: 100, .unknown, .notSeen),
        span(at: 110, .atLeast(50), .running),
      ],
      marks: marks.map {
        TimelineMark(name: $0.name, thread: 1, start: $0.time, kind: $0.kind)
      })
  }()

  private static let lookups = ConformanceLookups(
    [
      .init(
        type: "main.Square", proto: "main.Shape", thread: 7, parent: nil, duration: 9000, stops: 1,
        scanned: true, conforms: true,
        caller: .init(function: "main", file: "/src/main.swift", line: 12)),
      .init(
        type: "Any", proto: "main.Shape", thread: 8, parent: 0, duration: 1000, stops: 1,
        scanned: false, conforms: false),
    ], mainThread: 7, cpuTime: 40_000)

  static let startup: StartupReport = {
    func run(_ image: String, _ name: String, _ duration: UInt64?) -> InitializerRun {
      InitializerRun(
        image: image, name: name, address: 0x1000, thread: 7, start: 5, duration: duration,
        minorFaults: 1, majorFaults: 0)
    }
    func record(_ time: UInt64) -> LaunchRecord {
      var record = LaunchRecord(
        stages: [stage(.exec, 0, time), stage(.main, time, 2 * time)],
        initializers: [run("/bin/program", "_Z1av", time / 3), run("/lib/liby.so", "", nil)],
        images: [
          LoadedImage(
            path: "/bin/program", mappedAt: 0, mapping: time / 7, relocating: time / 9,
            isLoadedLater: false),
          LoadedImage(
            path: "/lib/liby.so", mappedAt: 9, mapping: nil, relocating: nil, isLoadedLater: true),
        ])
      record.scale = 1.25
      record.typical = TypicalStart(duration: time, stages: [.exec: 3, .main: 4])
      return record
    }
    func call(
      _ name: String, file: String?, parent: Int32, _ duration: UInt64?,
      _ ending: CallOutcome.Ending
    ) -> CallTree.Call {
      CallTree.Call(
        name: name, file: file, line: 12, image: "program", thread: 7, time: 100,
        outcome: CallOutcome(
          parent: parent, duration: duration, ending: ending, minorFaults: 3, majorFaults: 1))
    }
    var report = StartupReport(
      command: ["program", "-v"],
      conditions: .init(
        arguments: ["-v"], until: "exit", isCold: true, host: host, notes: ["a note"]),
      source: "its end",
      plain: [3_000_000, 3_100_000, 3_300_000].map {
        .init(duration: $0, minorFaults: 100, majorFaults: 2, cpuTime: 9)
      },
      watched: [1_000_000, 1_000_700].map { .init(record: record($0), tracing: 90_000, stops: 40) },
      detailed: [record(1_000_300)])
    report.relocations = [
      .init(image: "/bin/program", counts: ["R_X86_64_RELATIVE": 3, "R_X86_64_64": 1], packed: 2)
    ]
    report.calls = CallTree(
      [
        call("main", file: file, parent: -1, 5000, .returned),
        call("inner", file: nil, parent: 0, nil, .asynchronous),
        call("last", file: file, parent: -1, 500, .tailCall),
      ], functionCount: 9, scale: 1.25)
    report.names = ["_Z1av": "a()"]
    report.marks = marks
    report.lookups = lookups
    return report
  }()

  static let failedStartup: StartupReport = {
    var report = StartupReport(
      command: startup.command, conditions: startup.conditions, source: startup.source,
      plain: startup.plain, watched: startup.watched, detailed: [])
    report.failure = "ended with exit status 1"
    return report
  }()

  static let gate: GateReport = {
    var report = GateFormatTests.report(time: 20, notes: ["a note"])
    report.result.drift = [
      .time: RatioEstimate(from: Sample([1, 2]), to: Sample([2, 3]))!,
      .cpuTime: RatioEstimate(from: Sample([1, 2]), to: Sample([2, 4]))!,
    ]
    report.result.order = .init(old: 0.9, new: 0.5, isRegression: true, isJudged: true)
    report.result.metrics.append(
      .init(metric: .rss, old: Sample([0]), new: Sample([1]), verdict: nil, isJudged: false))
    report.conditions.arguments = ["-v"]
    return report
  }()

  static let comparison: StartupComparison = {
    let warm = ComparisonTests.comparison
    var (a, b) = (warm.a, warm.b)
    a.facts.buildID = BuildID("aa01")
    for run in a.runs.indices { a.runs[run].values[.foundPages] = 900 + Double(run) }
    for run in b.runs.indices { b.runs[run].values[.foundPages] = 0 }
    b.map = nil
    return StartupComparison(a: a, b: b, conditions: warm.conditions)
  }()
}
