import Foundation
import TestSupport
import Testing

/// `record` and programs that go into the background.
@Suite(.tags(.compiler)) struct BackgroundTests {
  /// Its parent ends at once. Where a word follows the name of a fifo, it says that word after a call of
  /// `late` and waits for SIGTERM; else it waits for a reader of the fifo.
  private static let daemon = """
    #include <fcntl.h>
    #include <stdio.h>
    #include <unistd.h>
    __attribute__((noinline)) void early(void) { __asm__ volatile(""); }
    __attribute__((noinline)) void late(void) { __asm__ volatile(""); }
    int main(int count, char **arguments) {
      early();
      if (fork() != 0) return 0;
      setsid();
      if (count > 2) {
        late();
        puts(arguments[2]);
        fflush(stdout);
        for (;;) pause();
      }
      open(arguments[1], O_WRONLY);
      late();
      return 0;
    }
    """

  enum Recorder: CaseIterable {
    case guards, breakpoints

    func daemon() throws -> Fixture {
      try Fixture.c(
        BackgroundTests.daemon, options: ["-O0"], flags: self == .guards ? nil : Fixture.plain)
    }

    var options: [String] { self == .guards ? [] : ["--no-rebuild"] }
  }

  @Test(arguments: Recorder.allCases)
  func aProcessThatIsLeftRunningIsALoss(recorder: Recorder) throws {
    let program = try recorder.daemon()
    let profile = program.directory.path("p.flp")
    let fifo = program.directory.path("fifo")
    try #require(mkfifo(fifo, 0o600) == 0)
    // Its output goes elsewhere: ours would end only with the daemon's.
    let result = try Command.run(
      Watched.handingDownNothing
        + ["sh", "-c", "exec \"$@\" 2>\(program.directory.path("errors"))", "sh"]
        + [Toolchain.firstlight, "record", "-o", profile] + recorder.options
        + ["--", "sh", "-c", "\(program.executable) \(fifo) >/dev/null 2>&1"])
    #expect(result.status == 0)
    let errors = try String(contentsOfFile: program.directory.path("errors"), encoding: .utf8)
    #expect(errors.contains("(losses: 1 process still running)"))
    let info = try Answer.info(profile)
    #expect(info.losses.runningProcesses == 1)
    #expect(info.runs[0].problems.contains { $0.contains("is still running") })
    for format in ["text", "markdown", "html", "json"] {
      let dead = try Command.run([Toolchain.firstlight, "dead", "--format", format, profile])
      #expect(dead.status == 3)
      #expect(dead.errors.contains("the recording is incomplete (1 process still running)"))
      #expect(
        dead.output.contains(
          format == "json" ? "\"runningProcesses\" : 1" : "This list is of an unfinished run"))
    }
    let merged = program.directory.path("merged.flp")
    try Command.check([Toolchain.firstlight, "merge", "-o", merged, profile])
    #expect(try Answer.info(merged).losses.runningProcesses == 1)
    _ = try FileHandle(forReadingFrom: URL(fileURLWithPath: fifo)).readToEnd()
  }

  @Test(arguments: Recorder.allCases)
  func aDaemonIsFollowedUntilItHasDoneWhatIsWaitedFor(recorder: Recorder) throws {
    let program = try recorder.daemon()
    let profile = program.directory.path("p.flp")
    let result = try Command.run(
      [Toolchain.firstlight, "record", "-o", profile, "--until", "line:it is up"]
        + recorder.options + ["--", program.executable, "/dev/null", "it is up"])
    #expect(result.status == 0)
    // The line came out, and the daemon has ended: it would keep our pipe open.
    #expect(result.output == "it is up\r\n" || result.output == "it is up\n")
    let info = try Answer.info(profile)
    #expect(info.losses.isEmpty)
    #expect(info.runs[0].outcome == "stopped when it had printed a line with \"it is up\"")
    #expect(try Answer.order([profile]).contains("late"))
  }

  @Test(arguments: Recorder.allCases)
  func aDaemonThatEndsByItselfIsWaitedFor(recorder: Recorder) throws {
    let program = try recorder.daemon()
    let profile = program.directory.path("p.flp")
    let result = try Command.run(
      [Toolchain.firstlight, "record", "-o", profile, "--until", "1h"]
        + recorder.options + ["--", program.executable, program.directory.path("file")])
    #expect(result.status == 0)
    let info = try Answer.info(profile)
    #expect(info.losses.isEmpty && info.runs[0].outcome == "exit status 0")
    #expect(try Answer.order([profile]).contains("late"))
  }
}
