import Foundation
import TestSupport
import Testing

/// Start-ups in formats of other tools, read by those tools.
@Suite(.tags(.compiler)) struct OpenFormatTests {
  private let program: Fixture

  init() throws {
    let include = Toolchain.project.appending(path: "CSupport/FirstlightRuntime/include").path
    program = try Fixture.c(
      """
      #include <time.h>
      #include "firstlight.h"
      __attribute__((noinline)) void slow(void) {
        struct timespec left = {.tv_nsec = 30000000};
        while (nanosleep(&left, &left) != 0) {}
      }
      __attribute__((noinline)) void outer(void) { slow(); firstlight_mark("open"); }
      int main(void) { outer(); firstlight_ready(); return 0; }
      """, options: ["-O1", "-I\(include)"])
  }

  private func launch(_ options: String...) throws {
    try Command.check(
      [Toolchain.firstlight, "launch", "--runs", "1", "--until", "ready"] + options
        + ["--", program.executable])
  }

  /// The sample types and the values of each sample that `go tool pprof -raw` prints.
  private func raw(_ file: String) throws -> (types: [String], samples: [[Int]]) {
    let text = try Command.check(
      ["go", "tool", "pprof", "-raw", file], environment: OtherTools.goEnvironment)
    let lines = text.split(separator: "\n").map(String.init)
    let start = try #require(lines.firstIndex(of: "Samples:"))
    let end = try #require(lines.firstIndex(of: "Locations"))
    let samples = lines[(start + 2)..<end].map { line in
      line.prefix { $0 != ":" }.split(separator: " ").compactMap { Int($0) }
    }
    let types = lines[start + 1].split(separator: " ").map { String($0) }
    return (types, samples)
  }

  @Test(.enabled(if: OtherTools.has("go"), "needs go; Scripts/setup test installs it"))
  func pprofReadsALaunch() throws {
    let (profile, file) = (program.directory.path("p.flp"), program.directory.path("p.pb.gz"))
    try launch("--profile", profile, "-o", file)
    let top = try Command.check(
      ["go", "tool", "pprof", "-top", "-unit=ms", file], environment: OtherTools.goEnvironment)
    let row = try #require(top.split(separator: "\n").first { $0.hasSuffix(" slow") })
    let flat = try #require(row.split(separator: " ").first?.dropLast(2))
    #expect(Double(flat)! >= 30, "\(top)")
    // The same numbers as in the folded stacks and in the stages.
    let (types, samples) = try raw(file)
    #expect(
      types == [
        "first_calls/count", "time/nanoseconds[dflt]", "minor_faults/count", "major_faults/count",
      ])
    let folded = try Command.check([
      Toolchain.firstlight, "timeline", profile, "--format", "folded",
    ])
    // Functions of one name in several files are one line there, and several samples.
    let weights = try folded.split(separator: "\n").map { line in
      let space = try #require(line.lastIndex(of: " "))
      return try #require(Int(line[line.index(after: space)...]))
    }
    let times = samples.map { $0[1] }
    #expect(times.reduce(0, +) == weights.reduce(0, +) && times.max() == weights.max())
    let record = try #require(
      JSONSerialization.jsonObject(
        with: Data(
          try Command.check([Toolchain.firstlight, "timeline", profile, "--format", "json"]).utf8))
        as? [String: Any])
    let process = try #require((record["processes"] as? [[String: Any]])?.first)
    let stages = try #require(process["stages"] as? [[String: Any]])
    let faults = stages.compactMap { $0["minorFaults"] as? Int }.reduce(0, +)
    #expect(faults > 0 && samples.reduce(0) { $0 + $1[2] } == faults)
    #expect(samples.reduce(0) { $0 + $1[0] } >= 3)
  }

  @Test(.enabled(if: OtherTools.has("go"), "needs go; Scripts/setup test installs it"))
  func pprofReadsMoments() throws {
    let file = program.directory.path("p.pb.gz")
    try Command.check([Toolchain.firstlight, "timeline", try program.record(), "-o", file])
    let (types, samples) = try raw(file)
    #expect(types == ["first_calls/count[dflt]"])
    #expect(samples.reduce(0) { $0 + $1[0] } == 3)
    let top = try Command.check(
      ["go", "tool", "pprof", "-top", file], environment: OtherTools.goEnvironment)
    for name in ["main", "outer", "slow"] { #expect(top.contains(" \(name)\n"), "\(top)") }
  }
}

/// Programs of others that may be missing.
enum OtherTools {
  static func has(_ name: String) -> Bool {
    (try? Command.run(["which", name]).status) == 0
  }

  /// Uses nothing but this machine, and keeps what it built: its library takes minutes.
  static let goEnvironment = [
    "GOCACHE": Toolchain.inputs.appending(path: "go-cache").path, "GOFLAGS": "-mod=mod",
    "GOTOOLCHAIN": "local", "GOPROXY": "off", "PPROF_TMPDIR": TemporaryDirectory.state,
  ]
}
