import FirstlightModel
import NeverCalled
import Testing

/// Profiles for tests, put together by hand.
enum Example {
  static func function(
    _ name: String, demangled: String? = nil, module: String = "", file: String? = "/src/a.c",
    line: Int = 1, size: UInt64 = 10, isCompilerGenerated: Bool = false, isLocal: Bool = false
  ) -> Function {
    Function(
      address: nil, size: size, name: name, demangledName: demangled ?? name, module: module,
      file: file, line: line, isCompilerGenerated: isCompilerGenerated, isLocal: isLocal)
  }

  /// A build of functions at rising addresses, those named called in so many runs.
  static func build(
    _ functions: [Function], called: [String: Int] = [:], runs: Int = 1, id: String = "aa",
    firstSeen: Double = 100, unguarded: [Function] = [], inlined: [Function] = [],
    isOptimised: Bool = false, hasDebugInfo: Bool = true, architecture: String = "x86_64"
  ) -> RecordedBuild {
    var functions = functions
    for index in functions.indices { functions[index].address = UInt64(0x1000 + index * 0x100) }
    var build = Build(
      buildID: BuildID(id)!, path: "/bin/example", kind: .executable, architecture: architecture,
      hasSymbols: true, hasDebugInfo: hasDebugInfo, functions: functions,
      entryGuards: functions.indices.map { UInt32($0) }, guardCount: functions.count)
    build.functions += unguarded + inlined
    build.isOptimised = isOptimised
    var recorded = RecordedBuild(build: build, runs: runs)
    for (index, function) in functions.enumerated() {
      guard let count = called[function.name] else { continue }
      recorded.coverage[index] = GuardCoverage(
        runs: count, firstSeen: firstSeen, lastSeen: firstSeen + 1)
    }
    return recorded
  }

  static func request(_ change: (inout NeverCalledRequest) -> Void) -> NeverCalledRequest {
    var request = NeverCalledRequest()
    change(&request)
    return request
  }

  static func run(_ id: String) -> Run {
    Run(
      id: id, command: ["example"],
      host: Host(name: "h", kernel: "k", architecture: "x86_64", processor: "p", cores: 1),
      startedAt: 100, endedAt: 110, ending: .exited(0), problems: [])
  }

  /// The report of one run, whose sums add up.
  static func report(
    _ builds: [RecordedBuild], _ request: NeverCalledRequest = .init()
  ) -> DeadCodeReport {
    let report = DeadCodeReport(of: Profile(builds: builds, runs: [run("r")]), for: request)
    #expect(report.sums.isBalanced)
    return report
  }
}
