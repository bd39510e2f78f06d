import FirstlightModel
import TestSupport
import Testing
import TraceReader

/// Text profiles of LLVM. Real ones are tested with real programs.
@Suite struct LLVMProfileFileTests {
  private let places: FunctionPlaces

  init() {
    let functions = [
      ("main", "/s/cmd/a.c", 3), ("late", "/s/cmd/a.c", 9), ("_ZN1p3sumEv", "/s/p/a.cpp", 2),
      ("step", "/s/one.c", 1), ("step", "/s/two.c", 1), ("other", "/s/two.c", 5),
    ].map { name, file, line in
      Function(
        address: nil, size: 0, name: name, demangledName: name, module: "", file: file, line: line,
        isCompilerGenerated: false, isLocal: false)
    }
    places = FunctionPlaces(
      Build(
        buildID: BuildID(fileDigest: [1]), path: "/b", kind: .executable, architecture: "x86_64",
        hasSymbols: true, hasDebugInfo: true, functions: functions, entryGuards: Array(0..<6),
        guardCount: 6, recorder: .breakpoints))
  }

  private func calls(_ text: String) throws -> ImportedCalls {
    try LLVMProfileFile.calls(in: Array(text.utf8), "profile", places)
  }

  /// llvm-profdata begins so if the front end set the counters (-fprofile-instr-generate).
  @Test func anLLVMProfileNeedsNoHeader() throws {
    let calls = try calls("other\n9\n1\n3\n\none.c;step\n12\n1\n0\n")
    #expect(calls.guards == [5] && calls.recorded == [3, 5])
  }

  /// With bitmaps and values that a function was called with.
  @Test func tracesAndCountersOfLLVMAreRead() throws {
    let calls = try calls(
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
    #expect(calls.traces == [[5, 4], [5]])
    #expect(calls.guards == [4, 5] && calls.recorded == [3, 4, 5])
    #expect((calls.known, calls.unknown) == (3, 1))
  }

  @Test(arguments: [
    "hello\n", ":ir\nstep\n12\n", ":ir\nstep\n12\n2\n0\n",
    ":ir\nstep\n12\nx\n", ":ir\n:temporal_prof_traces\n9\n9\n1\n",
  ])
  func invalidProfilesOfLLVMAreRefused(text: String) throws {
    let failure = #expect(throws: Failure.self) { try self.calls(text) }
    #expect(failure?.kind == .data)
  }
}
