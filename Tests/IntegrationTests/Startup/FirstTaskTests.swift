import Foundation
import TestSupport
import Testing

/// Programs whose first task ends before the process does: `main` ends with pthread_exit, or another thread executes a
/// program.
@Suite(.serialized, .tags(.compiler, .timing)) struct FirstTaskTests {
  /// Threads that sleep for SLEEP milliseconds after `main` has ended, and then end the process. With `execute` a
  /// thread executes the program again first; with a port it listens there until it is killed.
  private static let source = """
    #include <arpa/inet.h>
    #include <pthread.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    static char *word;
    static void *run(void *path) {
      usleep(SLEEP * 1000);
      if (word == NULL) exit(0);
      if (strcmp(word, "execute") == 0) execl(path, path, NULL);
      int listener = socket(AF_INET, SOCK_STREAM, 0);
      struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(word)),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
      if (bind(listener, (void *)&address, sizeof address) != 0) exit(3);
      listen(listener, 5);
      for (;;) pause();
    }
    int main(int count, char **arguments) {
      pthread_t thread;
      if (count > 1) word = arguments[1];
      pthread_create(&thread, NULL, run, arguments[0]);
      if (word != NULL && strcmp(word, "execute") == 0) pthread_join(thread, NULL);
      pthread_exit(NULL);
    }
    """

  private func program(sleeping milliseconds: Int) throws -> Fixture {
    try Fixture.c(
      Self.source, options: ["-O1", "-pthread", "-DSLEEP=\(milliseconds)"], flags: Fixture.plain)
  }

  private func compare(
    _ a: Fixture, _ b: Fixture, _ options: [String], _ arguments: [String] = []
  ) throws -> CompareTests.Comparison {
    let text = try Command.check(
      [Toolchain.firstlight, "compare", "--format", "json", "--warm", "--runs", "5"] + options
        + [a.executable, b.executable, "--"] + arguments)
    return try JSONDecoder().decode(CompareTests.Comparison.self, from: Data(text.utf8))
  }

  /// Both sleep once, or, if a thread executes the program, twice.
  @Test(arguments: [([], 400.0), (["execute"], 800.0)])
  func aStartLastsUntilTheProcessEnds(arguments: [String], least: Double) throws {
    let (quick, slow) = (try program(sleeping: 1), try program(sleeping: 400))
    let comparison = try compare(quick, slow, [], arguments)
    let time = try #require(comparison.row("milliseconds"))
    #expect(time.b.median >= least && time.a.median < least / 2)
    #expect(time.verdict == "higher")
    #expect(
      comparison.notes.contains("the main thread ends before others: memory at exit is unknown"))
    #expect(comparison.row("rss") == nil)
  }

  @Test func aGateSeesThatItIsSlower() throws {
    let (quick, slow) = (try program(sleeping: 1), try program(sleeping: 100))
    let result = try Command.run([
      Toolchain.firstlight, "gate", "--runs", "10", "--against", quick.executable, slow.executable,
    ])
    #expect(result.status == 1, "\(result.output)\(result.errors)")
  }

  /// The kernel's table of sockets is found at the thread that lives.
  @Test func aPortIsSeenToOpen() throws {
    let program = try program(sleeping: 20)
    let port = try DebuginfodServer.freePort()
    let comparison = try compare(
      program, program, ["--until", "port:\(port)", "--timeout", "20s"], [port])
    #expect(try #require(comparison.row("rss")).a.median > 0)
    let account = try program.launch(
      ["--runs", "2", "--until", "port:\(port)", "--timeout", "20s"], [port])
    #expect(account.source == "ready when listen returned" && account.failure == nil)
  }

  /// A thread takes the orders that `main` does elsewhere.
  @Test func aRecorderAttaches() throws {
    let source =
      Attached.source.replacing("int main(int count", with: "int program(int count")
        + """

        static char **given;
        static void *run(void *p) { program(2, given); _exit(0); return p; }
        int main(int count, char **arguments) {
          pthread_t thread;
          given = arguments;
          pthread_create(&thread, NULL, run, NULL);
          pthread_exit(NULL);
        }
        """
    let program = try Attached(source)
    try program.command.wait { try program.state() == "Z" }
    if Attached.hasProbes {
      let window = try program.watch([])
      try program.does("a")
      let names = try Answer.order([try window.end()])
      #expect(Set(names).intersection(Attached.own) == ["a"])
    }
    let refused = try Command.run([
      Toolchain.firstlight, "record", "--attach", "\(program.pid)", "--ptrace", "-o", "/dev/null",
    ])
    #expect(refused.status == 69 && refused.errors.contains("its main thread has ended"))
    try program.does("b")
    try program.end()
  }
}
