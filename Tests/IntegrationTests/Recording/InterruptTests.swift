import Foundation
import TestSupport
import Testing

/// Whoever presses Ctrl-C loses nothing, and leaves nothing behind.
@Suite(.tags(.compiler)) struct InterruptTests {
  /// Holds its recorder still, sends it signals and ends: when the recorder goes on, the signals wait for
  /// it, and the program has ended.
  private static let source = """
    #include <signal.h>
    #include <stdio.h>
    #include <unistd.h>
    static const int signals[] = {SIGNALS};
    void called(void) {}
    int main(void) {
      called();
      pid_t recorder = getppid();
      printf("%d\\n", getpid());
      fflush(stdout);
      kill(recorder, SIGSTOP);
      for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) kill(recorder, signals[i]);
      _exit(0);
    }
    """

  private struct Run {
    var program: Fixture
    var result: CommandResult
    var profile: String
    /// Where the recording was kept meanwhile.
    var folder: TemporaryDirectory
  }

  private func record(_ signals: String, _ options: [String]) throws -> Run {
    let program = try Fixture.c(
      Self.source, options: ["-O0", "-DSIGNALS=\(signals)"],
      flags: options.isEmpty ? nil : Fixture.plain)
    let folder = try TemporaryDirectory()
    let profile = program.directory.path("p.flp")
    let run = try Command.start(
      [Toolchain.firstlight, "record", "-o", profile] + options + ["--", program.executable],
      environment: ["TMPDIR": folder.url.path])
    let pid = try run.waitForOutput { text in
      text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first.flatMap {
        pid_t($0)
      }
    }
    try run.wait { Self.isAtItsEnd(pid) }
    run.send(SIGCONT)
    return Run(program: program, result: try run.wait(), profile: profile, folder: folder)
  }

  /// Whether a process has ended, reaped or not, or waits at its end for the recorder, which it has stopped.
  private static func isAtItsEnd(_ pid: pid_t) -> Bool {
    guard let (state, parent) = stat(pid) else { return true }
    return ["Z", "X"].contains(state) || state == "t" && stat(parent)?.state == "T"
  }

  /// The state of a process, and its parent (proc_pid_stat(5)).
  private static func stat(_ pid: pid_t) -> (state: Substring, parent: pid_t)? {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
      let name = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[name...].split(separator: " ")
    return pid_t(fields[2]).map { (fields[1], $0) }
  }

  @Test(arguments: [[], ["--no-rebuild"]])
  func aSecondSignalWaitsForTheProfile(options: [String]) throws {
    let run = try record("SIGINT, SIGTERM", options)
    #expect(run.result.status == 0 && !run.result.signalled, "\(run.result.errors)")
    #expect(run.result.errors.contains("firstlight: recorded"))
    #expect(
      try Answer.order([run.profile]).filter { !Watched.startFiles.contains($0) }
        == ["main", "called"])
    #expect(run.folder.entries == [])
  }

  @Test func aThirdSignalSaysWhereTheRecordingIsKept() throws {
    let run = try record("SIGHUP, SIGINT, SIGQUIT, SIGTERM", [])
    #expect(run.result.signalled, "\(run.result.errors)")
    #expect(run.program.directory.entries == ["main.c", "program"])
    let kept = try #require(run.folder.entries.first)
    let advice = "firstlight record -o FILE.flp --directory \(run.folder.path(kept))"
    #expect(run.result.errors.hasSuffix("; next: \(advice)\n"), "\(run.result.errors)")
    let words = advice.split(separator: " ").dropFirst().map {
      $0 == "FILE.flp" ? run.profile : String($0)
    }
    try Command.check([Toolchain.firstlight] + words)
    #expect(try Answer.order([run.profile]) == ["main", "called"])
  }

  /// Nothing reads the pipe, so that the profile waits to be written.
  @Test func aThirdSignalKeepsWhatBreakpointsSaw() throws {
    let program = try Fixture.c(
      """
      #include <stdio.h>
      #include <unistd.h>
      void called(void) {}
      int main(void) { called(); printf("%d\\n", getpid()); }
      """, options: ["-O0"], flags: Fixture.plain)
    let folder = try TemporaryDirectory()
    let pipe = program.directory.path("p.flp")
    try Command.check(["mkfifo", pipe])
    let run = try Command.start(
      [Toolchain.firstlight, "record", "-o", pipe, "--no-rebuild", "--", program.executable],
      environment: ["TMPDIR": folder.url.path])
    let pid = try run.waitForOutput { $0.hasSuffix("\n") ? pid_t($0.dropLast()) : nil }
    try run.wait { Self.isAtItsEnd(pid) }
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { run.send(signal) }
    let result = try run.wait()
    #expect(result.signalled, "\(result.errors)")
    let kept = folder.path(try #require(folder.entries.first))
    #expect(
      result.errors.hasSuffix("; next: firstlight record -o FILE.flp --directory \(kept)\n"),
      "\(result.errors)")
    let profile = folder.path("kept.flp")
    try Command.check([Toolchain.firstlight, "record", "-o", profile, "--directory", kept])
    #expect(
      try Answer.order([profile]).filter { !Watched.startFiles.contains($0) }
        == ["main", "called"])
  }

  @Test(arguments: [["launch"], ["compare", "PROGRAM"], ["gate", "--against", "PROGRAM"]])
  func aMeasurementThatIsEndedLeavesNothing(command: [String]) throws {
    let program = try Fixture.c(
      """
      #include <stdio.h>
      #include <unistd.h>
      int main(int count, char **arguments) {
        FILE *file = fopen(arguments[count - 1], "w");
        fprintf(file, "%d\\n", getpid());
        fclose(file);
        for (;;) pause();
      }
      """)
    let folder = try TemporaryDirectory()
    let started = program.directory.path("started")
    let programs = command[0] == "compare" ? [program.executable] : []
    let run = try Command.start(
      [Toolchain.firstlight] + command.map { $0 == "PROGRAM" ? program.executable : $0 } + programs
        + ["--until", "ready", "--"] + (command[0] == "compare" ? [] : [program.executable])
        + [started],
      environment: ["TMPDIR": folder.url.path])
    var pid: pid_t = 0
    try run.wait {
      let text = (try? String(contentsOfFile: started, encoding: .utf8)) ?? ""
      pid = text.hasSuffix("\n") ? pid_t(text.dropLast()) ?? 0 : 0
      return pid != 0
    }
    #expect(folder.entries.count == 1)
    run.send(SIGINT)
    let result = try run.wait()
    #expect(result.signalled && result.status == SIGINT, "\(result.errors)")
    #expect(folder.entries == [])
    while !Self.isAtItsEnd(pid) { usleep(1000) }
  }
}
