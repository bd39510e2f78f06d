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
    var imported = ImportedProfile(.lcov, of: build, binary: "app")
    try imported.add(write("a", "FN:3,one\nFN:7,two\nFNDA:5,one\nFNDA:0,two\n"))
    try imported.add(write("same", "FN:3,one\nFN:7,two\nFNDA:5,one\nFNDA:0,two\n"))
    #expect(imported.profile.runs.count == 1)
    #expect(imported.calledFunctions == 1)
    try imported.add(
      write("b", "FN:3,one\nFN:7,two\nFNDA:1,one\nFNDA:2,two\nFN:9,far\nFNDA:1,far\n"))
    #expect(imported.profile.runs.count == 2)
    #expect(imported.profile.builds[0].coverage.map(\.runs) == [2, 1])
    #expect(imported.profile.runs[1].problems.count == 1)
  }

  @Test func aFileOfAnotherBinaryIsRefused() throws {
    var imported = ImportedProfile(.lcov, of: build, binary: "app")
    let other = try write("other", "FN:9,far\nFNDA:1,far\n")
    #expect {
      try imported.add(other)
    } throws: {
      "\($0)".contains("none of its 1 function is in app")
    }
    #expect(imported.profile.runs.isEmpty)
  }

  private func write(_ name: String, _ lines: String) throws -> String {
    try directory.write("SF:/s/a.c\n\(lines)end_of_record\n", to: name)
  }
}
