import DeadCode
import FirstlightModel
import Testing

@Suite struct NeverCalledTests {
  @Test func calledAndNeverCalledAddUp() {
    let list = NeverCalled(of: profile(), includeCompilerMade: false) { _, _ in true }
    #expect(list.rows.map(\.function.name) == ["a1", "b9", "c0"])
    let totals = list.totals
    #expect(totals.functions == 5)
    #expect(
      totals.called + totals.neverCalled + totals.compilerMadeNeverCalled == totals.functions)
    #expect(totals.bytes == 30)
  }

  @Test func allListsWhatTheCompilerMade() {
    let list = NeverCalled(of: profile(), includeCompilerMade: true) { _, _ in true }
    #expect(list.rows.map(\.function.name) == ["a1", "b9", "made", "c0"])
    #expect(list.totals.bytes == 30)
  }

  @Test func theFilterSeesModuleAndFile() {
    let byModule = NeverCalled(of: profile(), includeCompilerMade: false) { module, _ in
      module == "B"
    }
    #expect(byModule.rows.map(\.function.name) == ["b9"])
    // A function of no Swift module belongs to its image.
    let byImage = NeverCalled(of: profile(), includeCompilerMade: false) { module, _ in
      module == "example"
    }
    #expect(byImage.rows.map(\.function.name) == ["c0"])
    let byFile = NeverCalled(of: profile(), includeCompilerMade: false) { _, file in
      file == "/a.swift"
    }
    #expect(byFile.totals.functions == 2)
  }

  private func profile() -> Profile {
    func function(_ name: String, _ module: String, _ file: String, _ made: Bool = false)
      -> Function
    {
      Function(
        address: 0, size: 10, name: name, demangledName: name, module: module, file: file, line: 3,
        isCompilerMade: made, isLocal: false)
    }
    let functions = [
      function("c0", "", "/c.c"), function("b9", "B", "/b.swift"),
      function("made", "B", "/b.swift", true), function("a1", "A", "/a.swift"),
      function("called", "A", "/a.swift"),
    ]
    let build = Build(
      buildID: BuildID("aa")!, path: "/bin/example", kind: .executable, architecture: "x86_64",
      hasSymbols: true, hasDebugInfo: true, functions: functions, entryGuards: [0, 1, 2, 3, 4],
      guardCount: 5)
    var recorded = RecordedBuild(build: build, runs: 1)
    recorded.coverage[4] = GuardCoverage(runs: 1, firstSeen: 1, lastSeen: 1)
    return Profile(builds: [recorded])
  }
}
