import FirstlightModel
import Foundation
import TestSupport
import Testing
import TraceReader

@Suite struct LCOVFileTests {
  private let directory: TemporaryDirectory
  private let places: FunctionPlaces

  init() throws {
    directory = try TemporaryDirectory()
    let functions = [("one", 3), ("two", 7)].map { name, line in
      Function(
        address: nil, size: 0, name: name, demangledName: name, module: "", file: "/s/a.c",
        line: line, isCompilerGenerated: false, isLocal: false)
    }
    places = FunctionPlaces(
      Build(
        buildID: BuildID(fileDigest: [1]), path: "/b", kind: .executable, architecture: "x86_64",
        hasSymbols: true, hasDebugInfo: true, functions: functions, entryGuards: [0, 1],
        guardCount: 2))
  }

  @Test(arguments: [
    // As LCOV wrote them up to 2.1, with names and with unknown names at known places; then as since.
    "SF:/s/a.c\nFN:3,one\nFN:7,two\nFNDA:5,one\nFNDA:0,two\nend_of_record\n",
    "SF:/s/a.c\nFN:3,4,mangled_one\nFN:7,9,two\nFNDA:5,mangled_one\nFNDA:0,two\nend_of_record\n",
    "SF:/s/a.c\nFNL:0,3,4\nFNA:0,5,one\nFNL:1,7\nFNA:1,0,two\nend_of_record\n",
  ])
  func calledFunctionsAreFound(text: String) throws {
    let calls = try LCOVFile.calls(in: directory.write(text, to: "app.info"), places)
    #expect(calls.guards == [0])
    #expect((calls.known, calls.unknown) == (2, 0))
  }

  @Test(arguments: ["", "hello\n", "SF:/s/a.c\nFN:3,one\nFNDA:x,one\n", "SF:/s/a.c\nFNDA:-1,one\n"])
  func invalidTracefilesAreRefused(text: String) throws {
    let path = try directory.write(text, to: "app.info")
    let failure = #expect(throws: Failure.self) { try LCOVFile.calls(in: path, places) }
    #expect(failure?.kind == .data)
    #expect(failure?.problem.hasPrefix(path) == true)
  }
}
