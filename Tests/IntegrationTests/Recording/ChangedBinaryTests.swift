import Foundation
import TestSupport
import Testing

/// Binaries that are cut short while a command reads them: one line, exit code 65, no recording lost.
@Suite(.tags(.compiler)) struct ChangedBinaryTests {
  /// Functions enough for symbols and debug information to be on pages of their own.
  private static let source =
    (0..<2000).map { "int function_\($0)(int x) { return x + \($0); }\n" }.joined()
    + "int main(void) { return function_7(-7); }\n"

  @Test func symbolizeEndsInOneLine() throws {
    let program = try Fixture.c(Self.source)
    let pcs = try Command.check(["llvm-nm", "--defined-only", program.executable])
      .split(separator: "\n").filter { $0.contains(" T function_") }.map { $0.prefix(16) }
    let first = try #require(pcs.first)
    let last = try #require(pcs.last)
    try (pcs.joined(separator: "\n") + "\n").write(
      toFile: program.directory.path("pcs"), atomically: true, encoding: .utf8)
    // The first answer tells that the file is open and mapped.
    let script = """
      coproc "$1" symbolize --inlines --binary "$2"
      pid=$COPROC_PID
      exec {out}<&"${COPROC[0]}" {in}>&"${COPROC[1]}" {COPROC[1]}>&-
      echo \(first) >&$in
      read -r -u "$out"
      truncate -s 4096 "$2"
      cat "$3" >&$in
      exec {in}>&-
      cat <&"$out" >/dev/null &
      wait "$pid"
      """
    let result = try Command.run([
      "bash", "-c", script, "_", Toolchain.firstlight, program.executable,
      program.directory.path("pcs"),
    ])
    #expect(first != last)
    #expect(result.status == 65 && !result.signalled)
    #expect(
      result.errors
        == "firstlight: error: \(program.executable): changed while it was being read; "
        + "wait until it is complete, then run the command again\n")
  }

  @Test func recordKeepsItsRecording() throws {
    let program = try Fixture.c(Self.source, flags: [])
    let profile = program.directory.path("p.flp")
    let result = try Command.run([
      Toolchain.firstlight, "record", "--no-rebuild", "--image", program.executable, "-o", profile,
      "--", "sh", "-c", "\"$0\"; truncate -s 4096 \"$0\"", program.executable,
    ])
    #expect(result.status == 0 && !result.signalled)
    #expect(result.errors.contains("\(program.executable): changed while it was being read"))
    #expect(result.errors.contains("its functions have no names"))
    let builds = try Answer.info(profile).builds
    #expect(
      try Answer.info(profile).runs.contains { $0.problems.contains { $0.contains("changed") } })
    #expect(builds.contains { $0.path == program.executable && $0.called >= 2 })
  }
}
