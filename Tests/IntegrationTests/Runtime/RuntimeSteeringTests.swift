import Foundation
import TestSupport
import Testing

/// What a program says of its recording holds in all its images.
@Suite(.tags(.compiler)) struct RuntimeSteeringTests {
  /// The program and the library it calls, with guards behind a gate or without one.
  private static func build(gated: Bool) throws -> Fixture {
    let libraries = try TemporaryDirectory()
    let source = try libraries.write(Fixture.runtimeSource("library"), to: "library.c")
    try Command.check(
      [
        ProgramTarget.compiler, "-g", "-O0", "-fPIC", "-shared", source, "-o",
        libraries.path("liblibrary.so"),
      ]
        + Toolchain.flags("clang", gated: gated))
    let program = try Fixture.runtime(
      "steered", gated: gated,
      link: ["-L\(libraries.url.path)", "-llibrary", "-Wl,-rpath,$ORIGIN"])
    try FileManager.default.moveItem(
      atPath: libraries.path("liblibrary.so"), toPath: program.directory.path("liblibrary.so"))
    return program
  }

  struct Case: Sendable {
    var way: String
    var paused = false
    /// What the program prints: is it being recorded before, did the call work, is it after, was the
    /// storage told.
    var says: String
    var names: [String]
  }

  static let cases = [
    Case(
      way: "none", says: "111\n",
      names: ["main", "one", "library_one", "two", "library_two", "three"]),
    // In the pause two() was called for the first time; it is recorded when it is called again.
    Case(
      way: "pause", says: "101\n",
      names: ["main", "one", "library_one", "two", "library_two", "three"]),
    Case(
      way: "resume", paused: true, says: "011\n",
      names: ["one", "library_one", "two", "library_two", "three"]),
    Case(way: "none", paused: true, says: "001\n", names: []),
  ]

  /// Entry hooks have no gate.
  static let gates = ProgramTarget.hooks == nil ? [false, true] : [false]

  @Test(arguments: cases, gates)
  func recordingFollows(this: Case, gated: Bool) throws {
    let spool = try Spool()
    let output = try Self.build(gated: gated).check(
      [this.way], into: spool, environment: ["FIRSTLIGHT_PAUSED": this.paused ? "1" : ""])
    #expect(output == this.says)
    let segments = try RawSegment.all(in: spool.directory)
    #expect(segments.count == 2)
    #expect(segments.reduce(0) { $0 + $1.records.count } == this.names.count)
    if !this.names.isEmpty { #expect(try spool.traces().map(\.names) == [this.names]) }
  }

  @Test(arguments: gates)
  func aProgramStartsItsOwnRecording(gated: Bool) throws {
    let program = try Self.build(gated: gated)
    let spool = try Spool()
    spool.keep(program.directory)
    let started = try program.run(["start", spool.directory.url.path])
    #expect(started.output == "0111\n")
    #expect(
      try spool.traces().map(\.names) == [["one", "library_one", "two", "library_two", "three"]])
    let nowhere = try program.run(["start", "/nowhere"])
    #expect(nowhere.output == "0001\n")
    #expect(nowhere.errors.split(separator: "\n").count == 1)
  }

  @Test(.enabled(if: ProgramTarget.hooks == nil, "entry hooks have no gate"))
  func aGatedHookIsBehindItsGate() throws {
    for gated in [false, true] {
      let program = try Self.build(gated: gated)
      let code = try withExtendedLifetime(program) {
        try Command.check([
          "llvm-objdump", "-d", "--disassemble-symbols=three", program.executable,
        ])
      }
      let steps = code.split(separator: "\n")
      // On arm64 an address takes two instructions, and the disassembler does not say of what.
      let gate = steps.firstIndex {
        $0.contains("__sancov_should_track") || !ProgramTarget.isNative && $0.contains("cbz")
      }
      let hook = try #require(steps.firstIndex { $0.contains("__sanitizer_cov_trace_pc_guard") })
      #expect(gated ? gate.map { $0 < hook } == true : gate == nil)
    }
  }
}
