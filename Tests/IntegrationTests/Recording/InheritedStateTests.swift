import Foundation
import TestSupport
import Testing

/// A program gets what our caller gave us, whatever we need for ourselves.
@Suite(.tags(.compiler)) struct InheritedStateTests {
  /// Adds to a file how a child of its ended, as far as it learns that, and its limits of descriptors and the stack.
  private static let source = """
    #include <errno.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/resource.h>
    #include <sys/wait.h>
    #include <unistd.h>
    int main(void) {
      pid_t pid = fork();
      if (pid == 0) _exit(3);
      int status = 0;
      int got = waitpid(pid, &status, 0);
      struct rlimit limit, stack;
      getrlimit(RLIMIT_NOFILE, &limit);
      getrlimit(RLIMIT_STACK, &stack);
      FILE *file = fopen(getenv("SAID"), "a");
      fprintf(file, "%s %lu %lu\\n", got == pid ? "3" : errno == ECHILD ? "unknown" : "?",
              (unsigned long)limit.rlim_cur, (unsigned long)stack.rlim_cur);
      fclose(file);
      return 0;
    }
    """

  /// A supervisor ignores SIGCHLD; its limits of descriptors and the stack are lower than they must be.
  @Test(
    arguments: [
      ["launch", "--runs", "1"], ["launch", "--runs", "1", "--no-calls"],
      ["record", "--no-rebuild", "-o", "OUT"], ["record", "-o", "OUT"],
      ["compare", "--runs", "5", "SELF"], ["gate", "--runs", "10", "--against", "SELF"],
    ])
  func aProgramHasItsSignalActionsAndLimits(command: [String]) throws {
    let program = try Fixture.c(
      Self.source, flags: command == ["record", "-o", "OUT"] ? nil : Fixture.plain)
    let file = program.directory.path("said")
    let words = command.map {
      $0 == "SELF" ? program.executable : $0 == "OUT" ? program.directory.path("p.flp") : $0
    }
    let result = try Command.run(
      [
        "env", "--ignore-signal=CHLD", "prlimit", "--nofile=200:400",
        "--stack=\(128 << 10)", Toolchain.firstlight,
      ] + words + [program.executable], environment: ["SAID": file])
    // Whether two equal programs differ is chance.
    let isMeasured = command[0] == "compare" || command[0] == "gate"
    #expect((result.status == 0 || isMeasured) && !result.signalled, "\(result.errors)")
    let said = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    #expect(!said.isEmpty && said.allSatisfy { $0 == "unknown 200 131072" }, "\(said)")
  }

  @Test func aSuiteIsRecordedWhereSIGCHLDIsIgnored() throws {
    let directory = try TemporaryDirectory()
    try directory.write("int main(void) { return 0; }", to: "main.c")
    let result = try Command.run(
      [
        "env", "--ignore-signal=CHLD", Toolchain.firstlight, "test", "--build",
        "cc -g main.c -o main",
        "--run", "./main",
      ], in: directory.url)
    #expect(result.status == 0 && !result.signalled, "\(result.errors)")
  }

  /// It traces its own process at the end, and cannot while we do.
  @Test func aProgramWithLeakSanitizerEndsAsItDoesAlone() throws {
    let program = try Fixture.c(
      "int main(void) { return 3; }", options: ["-fsanitize=address"], flags: Fixture.plain)
    let result = try Command.run([
      Toolchain.firstlight, "record", "--no-rebuild", "-o", program.directory.path("p.flp"),
      program.executable,
    ])
    #expect(result.status == 3 && !result.errors.contains("fatal error"), "\(result.errors)")
    #expect(result.errors.contains("LSAN_OPTIONS=detect_leaks=0"))
  }
}
