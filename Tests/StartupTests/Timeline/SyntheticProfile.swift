import FirstlightModel

/// Profiles put together by hand, of which every number is known.
enum SyntheticProfile {
  /// A call of the function of this name; `in` is the place of its caller.
  struct Call {
    var name: String
    var start: UInt64
    var duration: UInt64?
    var parent = -1
    var ending = CallOutcome.Ending.returned
    var thread: UInt32 = 100
    var faults: UInt32 = 0
  }

  /// One process, pid 100, of the program `/x/program`.
  static func profile(
    _ calls: [Call], hasReturns: Bool = true, marks: [ProgramMark] = [],
    launch: LaunchRecord? = nil, readyAfter: Double? = nil, path: String = "/x/program"
  ) -> Profile {
    var names: [String] = []
    for call in calls where !names.contains(call.name) { names.append(call.name) }
    let functions = names.enumerated().map { index, name in
      Function(
        address: UInt64(0x1000 + 16 * index), size: 16, name: name, demangledName: name,
        module: "", file: "/x/main.c", line: index + 1, isCompilerGenerated: false, isLocal: false)
    }
    let build = Build(
      buildID: BuildID(fileDigest: [1, 2, 3]), path: path, kind: .executable,
      architecture: "x86_64", hasSymbols: true, hasDebugInfo: true, functions: functions,
      entryGuards: (0..<functions.count).map(UInt32.init), guardCount: functions.count)
    var process = RecordedProcess(
      id: "100-1-0", run: "run", pid: 100, parentPID: 1, forkedFrom: nil, path: path,
      arguments: [path], startedAt: 1000, readyAfter: readyAfter, losses: Losses(),
      calls: calls.map { call in
        RecordedCall(
          build: 0, guardIndex: UInt32(names.firstIndex(of: call.name) ?? 0), thread: call.thread,
          time: call.start)
      })
    if hasReturns {
      process.returns = calls.map {
        CallOutcome(
          parent: Int32($0.parent), duration: $0.duration, ending: $0.ending,
          minorFaults: $0.faults, majorFaults: 0)
      }
    }
    process.marks = marks
    process.launch = launch
    let run = Run(
      id: "run", command: [path, "--port", "1"],
      host: Host(name: "h", kernel: "k", architecture: "x86_64", processor: "p", cores: 2),
      startedAt: 1000, endedAt: 1001, ending: .exited(0), problems: [])
    return Profile(
      builds: [RecordedBuild(build: build, runs: 1)], runs: [run], processes: [process])
  }

  /// A start-up with all there is: stages, an initializer with its own first call, nesting on two
  /// threads, a mark, spans, a tail call, an unwound call, async pieces, one that still runs.
  static func whole() -> Profile {
    profile(
      [
        Call(name: "_start", start: 300_000, duration: nil, ending: .running),
        Call(name: "setup<tables>", start: 410_000, duration: 180_000, parent: 0, faults: 9),
        Call(name: "helper;of setup", start: 420_000, duration: 100_000, parent: 1),
        Call(name: "main", start: 600_000, duration: nil, parent: 0, ending: .running, faults: 5),
        Call(name: "load \"config\"", start: 610_000, duration: 200_000, parent: 3),
        Call(name: "parse", start: 650_000, duration: 160_000, parent: 4, ending: .tailCall),
        Call(name: "worker", start: 700_000, duration: 250_000, thread: 101),
        Call(
          name: "resume", start: 720_000, duration: 30_000, parent: 6, ending: .asynchronous,
          thread: 101),
        Call(name: "thrower", start: 850_000, duration: nil, parent: 3, ending: .unwound),
        Call(name: "thrown", start: 860_000, duration: 20_000, parent: 8),
      ],
      marks: [
        ProgramMark(name: "config loaded", thread: 100, time: 820_000, kind: .mark),
        ProgramMark(
          name: "tls </script>", thread: 100, time: 640_000, kind: .span(duration: 230_000)),
        ProgramMark(name: "never ended", thread: 101, time: 710_000, kind: .span(duration: nil)),
      ],
      launch: LaunchRecord(
        stages: [
          LaunchStage(kind: .exec, start: 0, duration: 100_000, minorFaults: 3, majorFaults: 1),
          LaunchStage(
            kind: .mapping, start: 100_000, duration: 100_000, minorFaults: 4, majorFaults: 0),
          LaunchStage(
            kind: .relocating, start: 200_000, duration: 100_000, minorFaults: 5, majorFaults: 0),
          LaunchStage(
            kind: .initializers, start: 300_000, duration: 300_000, minorFaults: 6, majorFaults: 0),
          LaunchStage(
            kind: .main, start: 600_000, duration: 400_000, minorFaults: 7, majorFaults: 2),
        ],
        initializers: [
          InitializerRun(
            image: "/x/program", name: "setup<tables>", address: 0x1010, thread: 100,
            start: 405_000,
            duration: 190_000, minorFaults: 9, majorFaults: 0)
        ]), readyAfter: 0.001)
  }
}
