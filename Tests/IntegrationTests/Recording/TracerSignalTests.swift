import Foundation
import TestSupport
import Testing

/// A program that is watched through breakpoints behaves as if it were not.
@Suite(.tags(.compiler)) struct TracerSignalTests {
  @Test func signalsAndStatusAreTheProgramsOwn() throws {
    let program = try Fixture.c(
      """
      #include <signal.h>
      #include <unistd.h>
      static void on_user(int s) { (void)s; write(1, "user\\n", 5); }
      static volatile sig_atomic_t stopped;
      static void on_term(int s) { (void)s; stopped = 1; }
      int main(void) {
        signal(SIGUSR1, on_user);
        signal(SIGTERM, on_term);
        raise(SIGUSR1);
        write(1, "up\\n", 3);
        while (!stopped) pause();
        return 3;
      }
      """, flags: Fixture.plain)
    let profile = program.directory.path("p.flp")
    let run = try Command.start(
      [Toolchain.firstlight, "record", "--no-rebuild", "-o", profile, "--", program.executable])
    try run.waitForOutput { $0.contains("up\n") ? true : nil }
    run.send(SIGTERM)
    let result = try run.wait()
    #expect(result.output == "user\nup\n")
    #expect(result.status == 3 && !result.signalled)
    #expect(
      try Watched(result: result, profile: profile).order() == ["main", "on_user", "on_term"])
  }

  @Test(arguments: [SIGSEGV, SIGABRT, SIGKILL, SIGTERM, SIGTRAP])
  func aDeathBySignalIsOursToo(signal: Int32) throws {
    let program = try Fixture.c(
      """
      #include <signal.h>
      void before(void) {}
      int main(void) { before(); raise(\(signal)); return 0; }
      """, options: ["-O0"], flags: Fixture.plain)
    let watched = try program.watchUnnoticed()
    #expect(watched.result.signalled && watched.result.status == signal)
    #expect(try watched.order() == ["main", "before"])
  }

  @Test func aProgramsOwnTrapsAreItsOwn() throws {
    let program = try Fixture.c(
      """
      #include <signal.h>
      #include <stdio.h>
      static volatile sig_atomic_t traps;
      void in_handler(void) { traps++; }
      static void on_trap(int s) { (void)s; in_handler(); }
      // Begins with a breakpoint instruction of its own.
      __attribute__((naked)) void own(void) { __asm__("int3\\n\\tret"); }
      int main(void) {
        signal(SIGTRAP, on_trap);
        raise(SIGTRAP);
        __asm__ volatile("int3");
        own();
        raise(SIGTRAP);
        printf("%d\\n", (int)traps);
        return 0;
      }
      """, options: ["-O0"], flags: Fixture.plain)
    let watched = try program.watchUnnoticed()
    #expect(watched.result.output == "4\n")
    // `own` holds the one byte that is not to be told from ours.
    #expect(try watched.order() == ["main", "on_trap", "in_handler"])
  }

  @Test func aPendingTrapStaysBlockedAndPending() throws {
    let program = try Fixture.c(
      """
      #include <signal.h>
      #include <stdio.h>
      void while_pending(void) {}
      static int is_blocked(void) {
        sigset_t now;
        sigprocmask(SIG_SETMASK, 0, &now);
        return sigismember(&now, SIGTRAP);
      }
      int main(void) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGTRAP);
        sigprocmask(SIG_SETMASK, &set, 0);
        raise(SIGTRAP);
        while_pending();
        printf("%d", is_blocked());
        printf("%d\\n", sigwaitinfo(&set, 0));
        return 0;
      }
      """, options: ["-O0"], flags: Fixture.plain)
    let watched = try program.watchUnnoticed()
    #expect(watched.result.output == "15\n")
    #expect(try watched.order() == ["main", "while_pending", "is_blocked"])
  }

  @Test func anIgnoredTrapStaysIgnored() throws {
    let program = try Fixture.c(
      "#include <signal.h>\nvoid f(void) {}\nint main(void) { f(); raise(SIGTRAP); return 5; }",
      options: ["-O0"], flags: Fixture.plain)
    let profile = program.directory.path("p.flp")
    let result = try Command.run([
      "sh", "-c",
      "trap '' TRAP; exec \(Toolchain.firstlight) record --no-rebuild -o \(profile) -- "
        + program.executable,
    ])
    #expect(result.status == 5 && !result.signalled)
    #expect(try Watched(result: result, profile: profile).order() == ["main", "f"])
  }

  @Test(arguments: [[], ["--no-rebuild"]])
  func aCallerThatIgnoresItsChildrenIsServedToo(options: [String]) throws {
    let program = try Fixture.c("int main(void) { return 6; }")
    let words = [Toolchain.firstlight, "record"] + options
    let result = try Command.run([
      "sh", "-c",
      "trap '' CHLD; exec \(words.joined(separator: " ")) -o \(program.directory.path("p.flp")) -- "
        + program.executable,
    ])
    #expect(result.status == 6)
  }

  @Test func stoppingAndContinuing() throws {
    let program = try Fixture.c(
      """
      #include <signal.h>
      #include <stdio.h>
      #include <sys/wait.h>
      #include <unistd.h>
      void before(void) {}
      void after(void) {}
      static void round_of(pid_t pid, int signal) {
        int status;
        kill(pid, signal);
        waitpid(pid, &status, WUNTRACED);
        printf("%d %d\\n", WIFSTOPPED(status), WSTOPSIG(status));
        kill(pid, SIGCONT);
        waitpid(pid, &status, WCONTINUED);
        printf("%d\\n", WIFCONTINUED(status));
      }
      int main(void) {
        int status, up[2];
        char byte;
        pipe(up);
        pid_t pid = fork();
        if (pid == 0) {
          setpgid(0, 0);
          before();
          sigset_t set;
          sigemptyset(&set);
          sigaddset(&set, SIGUSR1);
          sigprocmask(SIG_BLOCK, &set, 0);
          write(up[1], "", 1);
          int signal;
          sigwait(&set, &signal);
          after();
          raise(SIGSTOP);
          _exit(7);
        }
        read(up[0], &byte, 1);
        round_of(pid, SIGSTOP);
        round_of(pid, SIGTSTP);
        kill(pid, SIGUSR1);
        waitpid(pid, &status, WUNTRACED);
        printf("%d\\n", WIFSTOPPED(status));
        kill(pid, SIGCONT);
        waitpid(pid, &status, 0);
        printf("%d\\n", WEXITSTATUS(status));
        return 0;
      }
      """, options: ["-O0"], flags: Fixture.plain)
    let watched = try program.watchUnnoticed()
    #expect(watched.result.output == "1 19\n1\n1 20\n1\n1\n7\n")
    // Parent and child run side by side from the fork on.
    let order = try watched.order()
    #expect(order.first == "main")
    #expect(order.filter { $0 != "round_of" } == ["main", "before", "after"])
    #expect(order.count { $0 == "round_of" } == 1)
  }

  @Test func aTimeLimitStopsAProgramThatNeverExits() throws {
    let program = try Fixture.c(
      "#include <unistd.h>\nint main(void) { for (;;) pause(); }", flags: Fixture.plain)
    let watched = try program.watch(options: ["--until", "200ms"])
    #expect(watched.result.status == 0 && !watched.result.signalled)
    #expect(try watched.order() == ["main"])
    #expect(try Answer.info(watched.profile).runs[0].outcome == "stopped after 200 ms")
  }

  @Test func readyEndsTheRecording() throws {
    let include = Toolchain.project.appending(path: "CSupport/FirstlightRuntime/include").path
    let program = try Fixture.c(
      """
      #include <firstlight.h>
      #include <unistd.h>
      void before(void) {}
      void after(void) {}
      int main(void) { before(); firstlight_ready(); after(); for (;;) pause(); }
      """, options: ["-O0", "-I\(include)"],
      flags: Fixture.plain + [Toolchain.products.appending(path: "libfirstlight_rt.a").path])
    let watched = try program.watch(options: ["--until", "ready"])
    #expect(watched.result.status == 0 && !watched.result.signalled)
    let order = try watched.order()
    // The runtime's functions are nobody's.
    #expect(order.starts(with: ["main", "before"]))
    #expect(!order.contains("after") && !order.contains("firstlight_ready"))
  }

  @Test func aKilledRecorderLeavesNoBreakpointsBehind() throws {
    let program = try Fixture.c(
      "#include <unistd.h>\nint main(void) { write(1, \"up\\n\", 3); for (;;) pause(); }",
      flags: Fixture.plain)
    let run = try Command.start([
      Toolchain.firstlight, "record", "--no-rebuild", "-o", program.directory.path("p.flp"), "--",
      program.executable,
    ])
    try run.waitForOutput { $0.contains("up\n") ? true : nil }
    run.send(SIGKILL)
    // Its output ends when the last process that holds it has ended: the program has gone too.
    #expect(try run.wait().status == SIGKILL)
  }
}
