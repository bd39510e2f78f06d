import FirstlightModel
import TestSupport
import Testing
import TraceReader

@Suite struct ImportedProfileTests {
  private let directory: TemporaryDirectory
  private let build: Build

  init() throws {
    directory = try TemporaryDirectory()
    let functions = [("one", 3), ("two", 7)].map { name, line in
      Function(
        address: nil, size: 0, name: name, demangledName: name, module: "", file: "/s/a.c",
        line: line, isCompilerGenerated: false, isLocal: false)
    }
    build = Build(
      buildID: BuildID(fileDigest: [1]), path: "/b", kind: .executable, architecture: "x86_64",
      hasSymbols: true, hasDebugInfo: true, functions: functions, entryGuards: [0, 1],
      guardCount: 2)
  }

  @Test func eachFileIsARunAndTheSameContentsCountOnce() throws {
    var imported = ImportedProfile(of: build, binary: "app")
    try add("a", "one\n3\n1\n5\ntwo\n7\n1\n0\n", to: &imported)
    try add("same", "one\n3\n1\n5\ntwo\n7\n1\n0\n", to: &imported)
    #expect(imported.profile.runs.count == 1 && imported.profile.runs[0].problems.isEmpty)
    #expect(imported.calledFunctions == 1)
    try add("b", "one\n3\n1\n1\ntwo\n7\n1\n2\nfar\n9\n1\n1\n", to: &imported)
    imported.note("b: no build")
    #expect(imported.profile.runs.count == 2)
    #expect(imported.profile.builds[0].coverage.map(\.runs) == [2, 1])
    let problems = imported.profile.runs[1].problems
    #expect(problems.count == 2 && problems[0].hasSuffix("1 function not found in app"))
    #expect(problems[1] == "b: no build")
  }

  @Test func aFileOfAnotherBinaryIsRefused() throws {
    var imported = ImportedProfile(of: build, binary: "app")
    #expect {
      try add("other", "far\n9\n1\n1\n", to: &imported)
    } throws: {
      "\($0)".contains("none of its 1 function is in app")
    }
    #expect(imported.profile.runs.isEmpty)
  }

  private func add(
    _ name: String, _ text: String, to imported: inout ImportedProfile
  ) throws {
    try imported.add(directory.write(text, to: name), text: Array(text.utf8))
  }
}
