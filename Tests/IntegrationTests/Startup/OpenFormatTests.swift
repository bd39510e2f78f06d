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

  /// The published messages, which refuse unknown fields, and a receiver like OpenTelemetry's collector.
  @Test(
    .enabled(
      if: OtherTools.openTelemetry != nil,
      "needs the Python package opentelemetry-proto; Scripts/setup test installs it"))
  func openTelemetryTakesATrace() throws {
    let python = try #require(OtherTools.openTelemetry)
    let script = Toolchain.project.appending(path: "Tests/Fixtures/otlp.py").path
    let file = program.directory.path("trace.json")
    try launch("--format", "otlp", "-o", file)
    let spans = try Command.check([python, "-B", script, "read", file]).split(separator: "\n")
    #expect(
      spans.prefix(2).elementsEqual(["start-up of program: open, ready", "  exec"]), "\(spans)")
    #expect(spans.contains("  loader: relocating") && spans.last == "  main")

    let receiver = try Command.start([python, "-B", script, "receive"])
    let port: Int = try receiver.waitForOutput {
      $0.split(separator: "\n").first.flatMap { Int($0) }
    }
    let address = "http://127.0.0.1:\(port)"
    let command = ["launch", "--runs", "1", "--until", "ready", "--format", "otlp", "-o"]
    let arguments = ["--", program.executable]
    let denied = try Command.run([Toolchain.firstlight] + command + [address] + arguments)
    #expect(denied.status == 69)
    #expect(denied.errors.contains("\(address)/v1/traces: answered with status 401"))
    let sent = try Command.run(
      [Toolchain.firstlight] + command + [address] + arguments,
      environment: ["OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20secret,x-other=1"])
    #expect(sent.status == 0, "\(sent.errors)")
    let partial = try Command.run(
      [Toolchain.firstlight] + command + [address + "/some"] + arguments)
    #expect(partial.status == 65)
    #expect(partial.errors.contains("refused 2 spans; too\\nmany"))
    receiver.send(SIGTERM)
    let received = try receiver.wait().output.split(separator: "\n").dropFirst()
    #expect(received.first == "start-up of program: open, ready", "\(received)")
  }
}

/// Programs of others that may be missing.
enum OtherTools {
  static func has(_ name: String) -> Bool {
    (try? Command.run(["which", name]).status) == 0
  }

  /// A Python that has OpenTelemetry's published messages.
  static let openTelemetry: String? = {
    let own = Toolchain.project.appending(path: ".build-test/python/bin/python").path
    return [own, "python3"].first {
      (try? Command.run([$0, "-c", "import opentelemetry.proto.trace.v1.trace_pb2"]).status) == 0
    }
  }()

  /// Uses nothing but this machine, and keeps what it built: its library takes minutes.
  static let goEnvironment = [
    "GOCACHE": Toolchain.inputs.appending(path: "go-cache").path, "GOFLAGS": "-mod=mod",
    "GOTOOLCHAIN": "local", "GOPROXY": "off", "PPROF_TMPDIR": TemporaryDirectory.state,
  ]

  /// Whether `go` can build programs that record coverage: from 1.20 on.
  static let goRecordsCoverage: Bool = {
    let version = (try? Command.run(["go", "version"]).output) ?? ""
    guard let match = version.firstMatch(of: /go1\.(\d+)/) else { return false }
    return Int(match.1)! >= 20
  }()
}
