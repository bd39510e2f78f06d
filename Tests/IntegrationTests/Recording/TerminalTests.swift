import Foundation
import TestSupport
import Testing

/// Recorded programs have a process group of their own, and behave at a terminal as if they shared their caller's.
@Suite(.tags(.compiler)) struct TerminalTests {
  /// With `wait` it reports each signal until SIGINT, with `stop` it stops itself, otherwise it asks for lines until one
  /// with q.
  private static let source = """
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    int main(int count, char **arguments) {
      char line[99];
      setvbuf(stdout, NULL, _IONBF, 0);
      if (strcmp(arguments[1], "wait") == 0) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGINT);
        sigaddset(&set, SIGCONT);
        sigprocmask(SIG_BLOCK, &set, NULL);
        puts("waits");
        for (int signal = 0; signal != SIGINT;) {
          sigwait(&set, &signal);
          printf("has received %d\\n", signal);
        }
        return 7;
      }
      if (strcmp(arguments[1], "stop") == 0) {
        pid_t self = getpid(), helper = count > 3 ? fork() : 1;
        while (helper == 0 && getppid() == self) {
          kill(getppid(), SIGCONT);
          usleep(10000);
        }
        if (helper == 0) _exit(0);
        raise(atoi(arguments[2]));
        puts("goes on 1");
        return 6;
      }
      for (;;) {
        puts("asks");
        if (fgets(line, sizeof line, stdin) == NULL) return 9;
        printf("%zu letters\\n", strlen(line) - 1);
        if (line[0] == 'q') return 5;
      }
    }
    """

  /// An interactive shell at a pseudo terminal of its own: types words, and waits for others after each.
  private static let driver = """
    import json, os, pty, select, sys, time
    process, terminal = pty.fork()
    if process == 0:
        os.environ["PS1"] = "$ "
        os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
    text = b""
    for typed, awaited in json.loads(sys.argv[1]):
        os.write(terminal, typed.encode())
        end = time.monotonic() + 120
        while awaited.encode() not in text:
            if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
                sys.exit("waited in vain for " + awaited)
            more = os.read(terminal, 4096)
            sys.stdout.write(more.decode(errors="replace"))
            sys.stdout.flush()
            text += more
        text = text.split(awaited.encode(), 1)[1]
        if b"There are stopped jobs" in text:
            sys.exit("the shell has lost its terminal")
    """

  private func press(_ steps: [[String]], in program: Fixture) throws {
    let words = String(decoding: try JSONEncoder().encode(steps), as: UTF8.self)
    let result = try Command.run(
      ["python3", try program.directory.write(Self.driver, to: "driver.py"), words],
      environment: ["TERM": "dumb"])
    #expect(result.status == 0, "\(result.output)\n\(result.errors)")
  }

  private func program(_ options: [String]) throws -> (Fixture, command: String) {
    let program = try Fixture.c(Self.source, flags: options.isEmpty ? nil : Fixture.plain)
    let words =
      [Toolchain.firstlight, "record"] + options
      + ["-o", program.directory.path("p.flp"), program.executable, "--"]
    return (program, words.joined(separator: " "))
  }

  /// The keys of a terminal that belongs to the recorder.
  @Test(arguments: [[], ["--no-rebuild"]])
  func aJobStopsGoesOnAndEndsByKeys(options: [String]) throws {
    let (program, command) = try program(options)
    try press(
      [
        ["\(command) wait\n", "waits"], ["\u{1a}", "Stopped"],
        ["fg\n", "has received \(SIGCONT)"], ["\u{3}", "has received \(SIGINT)"],
        ["echo status $?\n", "status 7"],
      ], in: program)
  }

  /// As editors do on a key of their own. A shell shows any program so that stops itself.
  @Test(arguments: [[], ["--no-rebuild"]], [SIGTSTP, SIGSTOP])
  func aProgramThatStopsItselfIsAStoppedJob(options: [String], signal: Int32) throws {
    let (program, command) = try program(options)
    try press(
      [
        ["\(command) stop \(signal)\n", "Stopped"], ["echo shell $((1 + 1))\n", "shell 2"],
        ["fg\n", "goes on 1"], ["echo status $?\n", "status 6"],
      ], in: program)
  }

  /// A script waits for no stops: somebody else continues the program.
  @Test(arguments: [[], ["--no-rebuild"]])
  func aScriptWaitsForAProgramThatStopsItself(options: [String]) throws {
    let (program, command) = try program(options)
    let script = try program.directory.write(
      "\(command) stop \(SIGSTOP) helped\necho status $?\n", to: "script")
    try press([["sh \(script)\n", "goes on 1"], ["", "status 6"]], in: program)
  }

  /// It gets the terminal when it reads, in the foreground alone, and loses it with each stop.
  @Test(arguments: [[], ["--no-rebuild"]])
  func aProgramReadsFromTheTerminal(options: [String]) throws {
    let (program, command) = try program(options)
    try press(
      [
        // The shell tells of a stopped job at once.
        ["set -b; echo shell $((0 + 1))\n", "shell 1"],
        ["\(command) read\n", "asks"], ["hello\n", "5 letters"], ["\u{1a}", "Stopped"],
        ["echo shell $((1 + 1))\n", "shell 2"], ["fg\n", "record"], ["hi\n", "2 letters"],
        ["\u{1a}", "Stopped"], ["echo shell $((1 + 2))\n", "shell 3"],
        ["bg\n", "Stopped"], ["echo shell $((1 + 3))\n", "shell 4"], ["fg\n", "record"],
        ["q\n", "1 letters"], ["echo status $?\n", "status 5"],
      ], in: program)
  }

  /// It has the terminal, so the recorder learns of it from its end.
  @Test func controlCEndsAProgramThatReads() throws {
    let (program, command) = try program(["--no-rebuild"])
    try press(
      [
        ["\(command) read\n", "asks"], ["hello\n", "5 letters"], ["\u{3}", "recorded"],
        ["echo status $?\n", "status 130"],
      ], in: program)
  }

  /// As launchers and pre-forking servers do.
  private static let sender = """
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>
    static volatile sig_atomic_t received;
    static void on(int signal) { received = signal; }
    void after(void) { puts("after"); }
    int main(int count, char **arguments) {
      int number = atoi(arguments[1]);
      signal(number, on);
      kill(0, number);
      while (received == 0) usleep(1000);
      after();
      return 0;
    }
    """

  /// SIGKILL would end the shell before the recorder.
  @Test(arguments: [SIGPIPE, SIGUSR1, SIGTERM, SIGINT, 34])
  func aSignalToItsGroupReachesNoRecorder(signal: Int32) throws {
    let plain = try Fixture.c(Self.sender, flags: Fixture.plain)
    let guarded = try Fixture.c(Self.sender)
    let profile = plain.directory.path("p.flp")
    let program = plain.executable
    let commands = [
      ["record", "--no-rebuild", "-o", profile, program],
      ["record", "-o", profile, guarded.executable],
      ["launch", "--runs", "1", "--no-calls", program],
      ["compare", "--warm", "--runs", "5", program, program],
    ]
    for command in commands {
      let result = try Command.run(
        ["setsid", "--wait", Toolchain.firstlight] + command + ["--", "\(signal)"])
      #expect(result.status == 0 && !result.signalled, "\(command): \(result.errors)")
      if command[0] == "record" { #expect(result.output == "after\n") }
    }
  }

  @Test func aKilledGroupIsOnlyTheProgram() throws {
    let program = try Fixture.c(
      "#include <signal.h>\nint main(void) { kill(0, SIGKILL); for (;;) {} }", flags: Fixture.plain)
    // firstlight ends by the program's signal, which a shell shows.
    let result = try Command.run([
      "setsid", "--wait", "sh", "-c", "\"$@\"; exit $?", "sh", Toolchain.firstlight, "record",
      "--no-rebuild", "-o", program.directory.path("p.flp"), program.executable,
    ])
    #expect(result.status == 128 + SIGKILL && !result.signalled, "\(result.errors)")
    #expect(result.errors.contains("firstlight: recorded"))
  }

  /// As servers do that leave their terminal. A program that led its group could not.
  @Test(arguments: [["record", "-o", "/dev/null"], ["record", "--no-rebuild", "-o", "/dev/null"]])
  func aProgramMayBeginASession(command: [String]) throws {
    let isPlain = command.contains("--no-rebuild")
    let program = try Fixture.c(
      """
      #include <stdio.h>
      #include <unistd.h>
      int main(void) { printf("%d\\n", setsid() == getpid()); return 0; }
      """, flags: isPlain ? Fixture.plain : nil)
    // A child of a shell without job control is no leader.
    let result = try Command.run(
      ["sh", "-c", "\"$@\"; exit $?", "sh", Toolchain.firstlight] + command + [program.executable])
    #expect(result.status == 0 && result.output == "1\n", "\(result.output)\(result.errors)")
  }
}
