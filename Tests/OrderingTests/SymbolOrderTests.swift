import FirstlightModel
import Ordering
import Testing

@Suite struct SymbolOrderTests {
  @Test func oneProcessIsItsTrace() {
    #expect(order([["c", "a", "b"]]).names == ["c", "a", "b"])
  }

  @Test func severalProcessesAreOrderedByMedianRank() {
    let result = order([["a", "b", "c"], ["b", "a", "c"], ["b", "c"]])
    #expect(result.names == ["b", "a", "c"])
    #expect(result.code.calledFunctions == 3)
    #expect(result.code.processes == 3)
  }

  @Test func tiesGoToTheOneMoreProcessesCalled() {
    #expect(order([["b"], ["a"], ["a"]]).names == ["a", "b"])
  }

  @Test func aForkedProcessContinuesItsParentsTrace() {
    var profile = Self.profile([["a", "b", "c"], ["d"]])
    profile.processes[1].forkedFrom = profile.processes[0].id
    // Forked after b, before c.
    profile.processes[1].startedAt = profile.processes[0].startedAt + 1.5e-6
    #expect(order(of: profile).names == ["a", "b", "c", "d"])
  }

  @Test func aMergedFunctionBringsItsBodyAndAliases() {
    var profile = Self.profile([["a", "b", "c"]])
    profile.builds[0].mergedBodies = [0: "bodyTm", 2: "bodyTm"]
    profile.builds[0].build.functions[1].aliases = ["b2"]
    #expect(order(of: profile).names == ["a", "bodyTm", "b", "b2", "c"])
  }

  @Test func functionsWhoseTraceWasLeftOutComeLast() {
    var profile = Self.profile([["c", "a"]])
    profile.builds[0].coverage[1] = GuardCoverage(runs: 1, firstSeen: 1, lastSeen: 1)
    profile.builds[0].coverage[3] = GuardCoverage(runs: 2, firstSeen: 1, lastSeen: 1)
    #expect(order(of: profile).names == ["c", "a", "d", "b"])
  }

  @Test func functionsWithoutSymbolAreCounted() {
    var profile = Self.profile([["a", "b"]])
    profile.builds[0].build.functions[0].name = ""
    let result = order(of: profile)
    #expect(result.names == ["b"])
    #expect(result.code.namelessFunctions == 1)
  }

  private func order(_ traces: [[String]]) -> SymbolOrder {
    order(of: Self.profile(traces))
  }

  private func order(of profile: Profile) -> SymbolOrder {
    SymbolOrder(of: OrderingInput(of: 0, in: profile))
  }

  /// A profile of functions whose processes made their first calls 1 us apart.
  static func profile(_ traces: [[String]], of names: [String] = ["a", "b", "c", "d"]) -> Profile {
    let build = Build(
      buildID: BuildID("aa")!, path: "/bin/example", kind: .executable, architecture: "x86_64",
      hasSymbols: true, hasDebugInfo: true,
      functions: names.map {
        Function(
          address: 0, size: 1, name: $0, demangledName: $0, module: "", file: nil, line: 0,
          isCompilerGenerated: false, isLocal: false)
      }, entryGuards: names.indices.map { UInt32($0) },
      guardCount: names.count)
    var profile = Profile(builds: [RecordedBuild(build: build, runs: 1)])
    profile.processes = traces.enumerated().map { number, trace in
      RecordedProcess(
        id: "\(number)", run: "r", pid: UInt32(number), parentPID: 0, forkedFrom: nil,
        path: "/bin/example", arguments: [], startedAt: 100, readyAfter: nil, losses: Losses(),
        calls: trace.enumerated().map { place, name in
          RecordedCall(
            build: 0, guardIndex: UInt32(names.firstIndex(of: name)!), thread: 1,
            time: UInt64(place * 1000))
        })
    }
    return profile
  }
}
