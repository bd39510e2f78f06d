import FirstlightModel
import ReferenceIndex

@testable import NeverCalled

/// Reports put together by hand.
enum MadeUp {
  static let host = Host(
    name: "h", kernel: "Linux 6", architecture: "x86_64", processor: "CPU", cores: 2)

  static let losses = Losses(
    drops: 1, uncommitted: 2, lostImages: 3, unreadableSegments: 4, unrecordedProcesses: 5,
    runningProcesses: 6)
  static let file = "/p/Sources/M/a.c"

  private static func function(
    _ name: String, line: Int, file: String? = file, isCompilerGenerated: Bool = false
  ) -> Function {
    Function(
      address: 0x1000 + UInt64(line) * 0x100, size: UInt64(line) * 8, name: name,
      demangledName: name, module: "", file: file, line: file == nil ? 0 : line,
      isCompilerGenerated: isCompilerGenerated, isLocal: false)
  }

  private static func build(
    _ id: String, _ path: String, _ functions: [Function], hasDebugInfo: Bool = true,
    recorder: Recorder = .guards
  ) -> Build {
    Build(
      buildID: BuildID(id)!, path: path,
      kind: path == "/bin/program" ? .executable : .sharedLibrary,
      architecture: "x86_64", hasSymbols: true, hasDebugInfo: hasDebugInfo, functions: functions,
      entryGuards: functions.indices.map { UInt32($0) }, guardCount: functions.count,
      recorder: recorder)
  }

  static let profile: Profile = {
    var program = build(
      "aa01", "/bin/program",
      [
        function("main", line: 1), function("never", line: 20), function("rare", line: 30),
        function("held", line: 40), function("test", line: 50, file: "/p/Tests/t.c"),
        function("made", line: 60, isCompilerGenerated: true), function("", line: 70, file: nil),
        function("once", line: 75), function("never.cold", line: 21),
      ])
    program.functions += [
      function("unguarded", line: 80),
      Function(
        code: .copies(of: [0], unknownHost: false), name: "small", demangledName: "small",
        module: "", file: file, line: 90),
    ]
    let before = build(
      "aa00", "/bin/program", [function("main", line: 1), function("once", line: 75)])
    let library = build(
      "bb02", "/lib/libx.so.1", [function("x_open", line: 1, file: nil)], hasDebugInfo: false,
      recorder: .breakpoints)
    func seen(_ runs: Int) -> GuardCoverage {
      runs == 0
        ? GuardCoverage() : GuardCoverage(runs: runs, firstSeen: 1000.25, lastSeen: 2000.5)
    }
    var process = RecordedProcess(
      id: "100-1-0", run: "r1", pid: 100, parentPID: 1, forkedFrom: nil, path: "/bin/program",
      arguments: ["program", "-v"], startedAt: 1000, readyAfter: 0.125, losses: losses,
      calls: [RecordedCall(build: 0, guardIndex: 0, thread: 100, time: 5)])
    process.returns = [
      CallOutcome(parent: -1, duration: 9, ending: .returned, minorFaults: 0, majorFaults: 0)
    ]
    process.marks = marks
    process.launch = LaunchRecord()
    let fork = RecordedProcess(
      id: "101-1-0", run: "r1", pid: 101, parentPID: 100, forkedFrom: "100-1-0",
      path: "/bin/program", arguments: [], startedAt: 1000.5, readyAfter: nil, losses: Losses(),
      calls: [], callCount: 3, isTraceLeftOut: true)
    return Profile(
      builds: [
        RecordedBuild(
          build: program, runs: 4, coverage: [4, 0, 1, 0, 0, 0, 0, 0, 0].map(seen)),
        RecordedBuild(build: before, runs: 2, coverage: [2, 2].map(seen)),
        RecordedBuild(build: library, runs: 4, coverage: [seen(0)]),
      ],
      runs: [
        Run(
          id: "r1", command: ["program", "-v"], host: host, startedAt: 1000, endedAt: 1010.5,
          ending: .exited(0), problems: []),
        Run(
          id: "r2", command: ["program"], host: host, startedAt: 2000, endedAt: 2001,
          ending: .signalled(2), problems: ["a problem"]),
        Run(
          id: "r3", command: ["program"], host: host, startedAt: 3000, endedAt: 3001,
          ending: .exited(1), problems: []),
      ], processes: [process, fork])
  }()

  static let marks = [
    ProgramMark(name: "mark", thread: 100, time: 1500, kind: .mark),
    ProgramMark(name: "span", thread: 101, time: 2500, kind: .span(duration: 1_000_000)),
    ProgramMark(name: "open span", thread: 101, time: 3500, kind: .span(duration: nil)),
  ]

  private static var request: NeverCalledRequest {
    var request = NeverCalledRequest()
    request.below = 0.5
    request.keepReason = { ["held", "main"].contains($0.name) ? "a reason" : nil }
    request.ownCode = OwnCode(roots: ["/p"])
    request.owners = { $0.hasPrefix("/p/Sources") ? ["@a", "@b"] : [] }
    request.dropped = [("gone", "gone")]
    request.listsForeign = true
    request.showsAll = true
    return request
  }

  private static let report = DeadCodeReport(of: profile, for: request)

  static let neverCalled: DeadCodeList = {
    var list = DeadCodeList(report, for: request)
    list.knownCount = 2
    list.outdated = ["c:old"]
    return list
  }()

  static let references: FunctionReferences = {
    var builder = ReferenceIndexBuilder()
    for (name, line) in [("never", 20), ("rare", 30)] {
      let symbol = builder.symbol(
        usr: "c:@F@\(name)", name: name,
        IndexSymbolTraits(kind: .function, language: .c, access: .internal, isUnitTest: false))!
      builder.define(symbol, file: builder.file(file, module: ""), line: line)
    }
    do {
      return try FunctionReferences(of: report, in: builder.build(), options: .init())
    } catch { fatalError("\(error)") }
  }()
}
