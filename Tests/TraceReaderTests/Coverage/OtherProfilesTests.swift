import FirstlightModel
import TestSupport
import Testing
import TraceReader

/// Text profiles of LLVM. Real ones are tested with real programs.
@Suite struct OtherProfilesTests {
  private let directory: TemporaryDirectory
  private let places: FunctionPlaces

  init() throws {
    directory = try TemporaryDirectory()
    let functions = [
      ("main.main", "/s/cmd/a.go", 3), ("main.main.func1", "/s/cmd/a.go", 5),
      ("main.late", "/s/cmd/a.go", 9), ("ex.org/m/p.Sum[go.shape.int]", "/s/p/a.go", 2),
      ("step", "/s/one.c", 1), ("step", "/s/two.c", 1), ("other", "/s/two.c", 5),
    ].map { name, file, line in
      Function(
        address: nil, size: 0, name: name, demangledName: name, module: "", file: file, line: line,
        isCompilerGenerated: false, isLocal: false)
    }
    places = FunctionPlaces(
      Build(
        buildID: BuildID(fileDigest: [1]), path: "/b", kind: .executable, architecture: "x86_64",
        hasSymbols: true, hasDebugInfo: true, functions: functions, entryGuards: Array(0..<7),
        guardCount: 7, recorder: .breakpoints))
  }

  private func calls(_ format: CoverageFormat, _ text: String) throws -> ImportedCalls {
    try format.calls(in: directory.write(text, to: "profile"), places)
  }

  /// llvm-profdata begins so if the front end set the counters (-fprofile-instr-generate).
  @Test func anLLVMProfileNeedsNoHeader() throws {
    let calls = try calls(.llvm, "other\n9\n1\n3\n\none.c;step\n12\n1\n0\n")
    #expect(calls.guards == [6] && calls.recorded == [4, 6])
  }

  /// With bitmaps and values that a function was called with.
  @Test func tracesAndCountersOfLLVMAreRead() throws {
    let calls = try calls(
      .llvm,
      """
      # IR level Instrumentation Flag
      :ir
      :temporal_prof_traces
      # Num Temporal Profile Traces:
      2
      7
      1
      other,two.c;step,
      1
      other,

      one.c;step
      12
      2
      0
      0
      $1
      0x3
      2
      0
      1
      2
      far:3
      step:1
      1
      0
      two.c;step
      12
      1
      4
      other
      9
      1
      18446744073709551615
      gone
      9
      1
      1
      """)
    #expect(calls.traces == [[6, 5], [6]])
    #expect(calls.guards == [5, 6] && calls.recorded == [4, 5, 6])
    #expect((calls.known, calls.unknown) == (3, 1))
  }

  @Test(arguments: [
    "", "\u{ff}lprofr", "hello\n", ":ir\nstep\n12\n", ":ir\nstep\n12\n2\n0\n",
    ":ir\nstep\n12\nx\n", ":ir\n:temporal_prof_traces\n9\n9\n1\n",
  ])
  func invalidProfilesOfLLVMAreRefused(text: String) throws {
    let failure = #expect(throws: Failure.self) { try self.calls(.llvm, text) }
    #expect(failure?.kind == .data)
  }
}
