import Foundation
import TestSupport
import Testing

/// When a start-up is over, and what `launch` says where it never is.
@Suite(.tags(.compiler)) struct LaunchMomentTests {
  private static let server = """
    #include <arpa/inet.h>
    #include <netinet/in.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/socket.h>
    #include <unistd.h>
    int main(int count, char **arguments) {
      if (count > 2) daemon(1, 1);
      int listener = socket(AF_INET, SOCK_STREAM, 0);
      int yes = 1;
      setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1])),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
      if (bind(listener, (void *)&address, sizeof address) != 0) return 3;
      listen(listener, 5);
      printf("listens on %s\\n", arguments[1]);
      for (;;) pause();
    }
    """

  /// A port that nobody listens on.
  private func freePort() throws -> String {
    let text = try Command.check([
      "python3", "-c",
      "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])",
    ])
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func listenReportsThePortImmediately() throws {
    let program = try Fixture.c(Self.server, flags: Fixture.plain)
    let port = try freePort()
    let account = try program.launch(["--runs", "2", "--until", "port:\(port)"], [port])
    #expect(account.source == "ready when listen returned")
    #expect(account.starts.count == 2)
    // It ran on and has been ended: what came after is not in the account.
    #expect(try account.call("main").ending == "running")
  }

  @Test func aLineIsWaitedForOnATerminal() throws {
    let program = try Fixture.c(Self.server, flags: Fixture.plain)
    let port = try freePort()
    let account = try program.launch(["--runs", "1", "--until", "line:listens on"], [port])
    #expect(account.failure == nil)
  }

  /// The line may be the last thing that the program does: who reads it has no time to before its end.
  @Test(arguments: [["--no-calls"], []], 1...3)
  func aLastLineIsRead(options: [String], attempt: Int) throws {
    let directory = try TemporaryDirectory()
    let account = try Fixture(directory: directory, executable: "/bin/sh").launch(
      ["--runs", "5", "--until", "line:done"] + options, ["-c", "echo done"])
    #expect(account.failure == nil)
    #expect(account.starts.count == 5)
    // Its faults are known, though it was gone when the line was read.
    #expect(account.starts.allSatisfy { $0.minorFaults > 0 })
  }

  @Test(arguments: 1...3)
  func aProgramThatEndsAsSoonAsItIsReadyWasReady(attempt: Int) throws {
    let program = try Fixture.c(
      "void firstlight_ready(void);\nint main(void) { firstlight_ready(); return 0; }")
    let account = try program.launch(["--runs", "3", "--until", "ready"])
    #expect(account.failure == nil)
    #expect(account.starts.count == 3)
  }

  @Test func anAnswerIsWaitedForAndNotListeningAlone() throws {
    let directory = try TemporaryDirectory()
    let server = try directory.write(
      """
      import http.server, sys, time
      server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), http.server.SimpleHTTPRequestHandler)
      time.sleep(0.3)
      server.serve_forever()
      """, to: "server.py")
    let port = try freePort()
    let account = try Fixture(directory: directory, executable: "/usr/bin/python3").launch(
      ["--runs", "1", "--no-calls", "--until", "http:\(port)/"], [server, port])
    #expect(try #require(account.starts.first).duration > 300_000_000)
    #expect(account.source.hasPrefix("ready polled"))
  }

  @Test func daemonsAreNoted() throws {
    let program = try Fixture.c(Self.server, flags: Fixture.plain)
    let port = try freePort()
    let account = try program.launch(
      ["--runs", "1", "--until", "port:\(port)", "--no-calls"], [port, "daemon"])
    #expect(account.notes.contains { $0.hasPrefix("The program went into the background") })
    // Nothing of it is left.
    let again = try program.launch(
      ["--runs", "1", "--until", "port:\(port)", "--no-calls"], [port])
    #expect(again.failure == nil)
  }

  @Test func oneThatIsNeverReadyIsAnAccountAndAnError() throws {
    let program = try Fixture.c(
      "#include <unistd.h>\nint main(void) { for (;;) pause(); }",
      flags: Fixture.plain)
    let port = try freePort()
    let account = try program.launch(
      ["--runs", "1", "--timeout", "300ms", "--until", "port:\(port)"], expecting: 65)
    #expect(account.failure?.contains("not listened on port \(port) within 300 ms") == true)
    #expect(account.watched.count == 1)
  }

  @Test func oneThatCrashesBeforeMainNamesTheInitializer() throws {
    let program = try Fixture.c(
      """
      #include <stdio.h>
      #include <stdlib.h>
      __attribute__((constructor)) static void broken(void) {
        fprintf(stderr, "no config\\n");
        abort();
      }
      int main(void) { return 0; }
      """, flags: Fixture.plain)
    let account = try program.launch(["--runs", "1"], expecting: 65)
    #expect(account.failure?.contains("killed by signal 6") == true)
    #expect(account.failure?.contains("no config") == true)
    let broken = try #require(account.initializers.first)
    #expect(broken.name == "broken")
    #expect(broken.duration == nil)
  }

  @Test func oneThatExecutesAnotherIsFollowed() throws {
    let directory = try TemporaryDirectory()
    let script = try ProgramFile.script(
      "#!/bin/sh\nexec /bin/true\n", at: directory.path("script"))
    let account = try Fixture(directory: directory, executable: script)
      .launch(["--runs", "1", "--no-calls"])
    #expect(account.notes.contains { $0.hasPrefix("The process executed several programs") })
    #expect(!account.notes.contains { $0.hasPrefix("The command is a script") })
    // The shell is no part of what the kernel does.
    let stages = account.watched[0].record.stages
    #expect(stages.prefix(2).map(\.kind) == ["exec", "earlier"])
  }

  /// Like one that is set-user-ID and gives up without its rights.
  @Test func oneThatEndsDifferentlyUnderATracerHasNoStages() throws {
    let program = try Fixture.c(
      """
      #include <stdio.h>
      #include <string.h>
      static int result = 7;
      __attribute__((constructor)) static void looks(void) {
        char line[256];
        FILE *status = fopen("/proc/self/status", "r");
        while (fgets(line, sizeof line, status))
          if (strncmp(line, "TracerPid:\t0", 12) == 0) result = 0;
      }
      int main(void) { return result; }
      """, flags: Fixture.plain)
    let result = try Command.run([
      Toolchain.firstlight, "launch", "--runs", "1", program.executable,
    ])
    #expect(result.status == 65)
    #expect(
      result.output.hasPrefix(
        "Its exit status is 7 if it is traced, and 0 if not, so its stages are unknown.\n"))
    #expect(!result.output.contains("initializers"))
  }

  /// Every second start fails: the median of such starts is that of no start.
  @Test func startsThatEndDifferentlyAreNotAveraged() throws {
    let program = try Fixture.c(
      """
      #include <stdio.h>
      int main(int count, char **arguments) {
        int starts = 0;
        FILE *file = fopen(arguments[1], "r+");
        if (fscanf(file, "%d", &starts) != 1) return 9;
        rewind(file);
        fprintf(file, "%d\\n", starts + 1);
        fclose(file);
        return starts % 2 == 0 ? 0 : 3;
      }
      """, flags: Fixture.plain)
    let file = try program.directory.write("0\n", to: "starts")
    let result = try Command.run([
      Toolchain.firstlight, "launch", "--runs", "3", program.executable, "--", file,
    ])
    #expect(result.status == 65, "\(result.output)")
    #expect(
      result.errors.contains("exit status 3, but with status 0 in an earlier start")
        || result.errors.contains("exit status 0, but with status 3 in an earlier start"),
      "\(result.errors)")
  }

  @Test func inexecutableFilesFailWithOneLine() throws {
    let directory = try TemporaryDirectory()
    let file = try ProgramFile.script("no program", at: directory.path("file"))
    for (program, status) in [(file, Int32(126)), (directory.path("missing"), 127)] {
      let result = try Command.run([Toolchain.firstlight, "launch", "--", program])
      #expect(result.status == status)
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
      #expect(result.errors.contains(program))
    }
  }

  @Test func aTimelineAndAProfileComeOutOfTheSameStart() throws {
    let program = try Fixture.c(
      "void f(void) {}\nint main(void) { f(); return 0; }", options: ["-O0"], flags: Fixture.plain)
    let profile = program.directory.path("launch.flp")
    let page = program.directory.path("launch.html")
    try Command.check([
      Toolchain.firstlight, "launch", "--runs", "1", "--format", "html", "-o", page, "--profile",
      profile, "--", program.executable,
    ])
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("</html>"))
    let order = try Answer.order([profile])
    #expect(order.firstIndex(of: "main")! < order.firstIndex(of: "f")!)
  }
}
