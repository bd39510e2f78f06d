import Foundation
import TestSupport
import Testing

/// Start-ups that are more than one program: libraries loaded by the program itself, children, daemons.
@Suite(.tags(.compiler)) struct LaunchFamilyTests {
  @Test func whatAProgramLoadsItselfIsRelocatedAndInitialized() throws {
    let directory = try TemporaryDirectory()
    // A table of a hundred thousand addresses, each of which is relocated.
    let table = (0..<100_000).map { "&cells[\($0)]," }.joined()
    let source = try directory.write(
      """
      static int cells[100000];
      int *const table[] = {\(table)};
      __attribute__((constructor)) static void wake_up(void) { __asm__ volatile(""); }
      """, to: "late.c")
    let library = directory.path("liblate.so")
    try Command.check(["clang", "-fPIC", "-shared", source, "-o", library])
    // The loader opens the file that is asked for before it says that it is at work: what that needs is seen.
    let plugin = directory.path("plugin.so")
    try Command.check([
      "clang", "-shared", "-Wl,--no-as-needed", library, "-x", "c", "/dev/null",
      "-Wl,-rpath,$ORIGIN", "-o", plugin,
    ])
    let program = try directory.write(
      """
      #include <dlfcn.h>
      int main(int count, char **arguments) { return dlopen(arguments[1], RTLD_NOW) == 0; }
      """, to: "main.c")
    let executable = directory.path("program")
    try Command.check(["clang", "-O1", "-g", program, "-o", executable])
    let account = try Fixture(directory: directory, executable: executable)
      .launch(["--runs", "1", "--no-calls"], [plugin])
    let record = try #require(account.detailed.first)
    let late = try #require(record.images.first { $0.path == library })
    #expect(late.isLoadedLater)
    // 100,000 stores, and 200 pages to write them to.
    let relocating = try #require(late.relocating)
    #expect(relocating > 50_000)
    #expect(record.initializers.contains { $0.name == "wake_up" })
    let main = try #require(record.stages.first { $0.kind == "main" })
    #expect(relocating + (late.mapping ?? 0) < main.duration)
  }

  @Test func childrenAreInTheProfileWithTheirOwnCalls() throws {
    let directory = try TemporaryDirectory()
    let helper = try directory.write(
      """
      __attribute__((noinline)) int help(int x) { __asm__ volatile(""); return x; }
      int main(int count, char **arguments) { return help(count) - 1; }
      """, to: "helper.c")
    try Command.check(["clang", "-O1", "-g", helper, "-o", directory.path("helper")])
    let program = try Fixture.c(
      """
      #include <sys/wait.h>
      #include <unistd.h>
      __attribute__((noinline)) int forked(int x) { __asm__ volatile(""); return x; }
      __attribute__((noinline)) int waits(int x) { int s; wait(&s); __asm__ volatile(""); return s + x; }
      int main(int count, char **arguments) {
        if (fork() == 0) return forked(0);
        if (fork() == 0) { execl(arguments[1], arguments[1], (char *)0); return 1; }
        return waits(0) + waits(0);
      }
      """, options: ["-O1"], flags: Fixture.plain)
    let profile = directory.path("p.flp")
    let account = try Command.check([
      Toolchain.firstlight, "launch", "--runs", "1", "--profile", profile, "--", program.executable,
      directory.path("helper"),
    ])
    #expect(account.contains("2 child processes made "), "\(account)")
    let timeline = try Command.check([
      Toolchain.firstlight, "timeline", profile, "--format", "chrome",
    ])
    struct Events: Decodable {
      struct Event: Decodable {
        var name, ph: String
        var pid: Int
        var ts: Double?
      }
      var traceEvents: [Event]
    }
    let events = try JSONDecoder().decode(Events.self, from: Data(timeline.utf8)).traceEvents
    let processes = Dictionary(
      events.filter { $0.ph == "X" }.map { ($0.name, $0.pid) },
      uniquingKeysWith: { first, _ in first })
    let parent = try #require(processes["waits"])
    let child = try #require(processes["forked"])
    let other = try #require(processes["help"])
    #expect(Set([parent, child, other]).count == 3)
    // One clock: children run within their parent's main.
    let main = try #require(events.first { $0.name == "main" && $0.pid == parent }?.ts)
    for name in ["forked", "help"] {
      #expect(try #require(events.first { $0.name == name }?.ts) > main)
    }
  }

  /// exec makes no child.
  @Test func aProgramThatReplacesAnotherIsNoChild() throws {
    let program = try Fixture.c("int main(void) { return 0; }", flags: Fixture.plain)
    let script = try ProgramFile.script(
      "#!/bin/sh\nexec \(program.executable)\n", at: program.directory.path("script"))
    let account = try Command.check([Toolchain.firstlight, "launch", "--runs", "1", "--", script])
    #expect(account.contains("First calls"), "\(account)")
    #expect(!account.contains("child process"), "\(account)")
  }

  @Test func mainIsFoundInStrippedProgramsWhoseCallsAreWatchedToo() throws {
    let program = try Fixture.c(
      """
      #include <unistd.h>
      int main(void) { usleep(20000); return 0; }
      """, options: ["-O1", "-s"], flags: Fixture.plain)
    let profile = program.directory.path("p.flp")
    try Command.check([
      Toolchain.firstlight, "launch", "--runs", "1", "--profile", profile, "--",
      program.executable,
    ])
    let timeline = try Command.check([Toolchain.firstlight, "timeline", profile])
    let main = try #require(timeline.split(separator: "\n").first { $0.hasSuffix("  main") })
    #expect(try #require(Double(main.split(separator: " ")[1])) > 20)
  }

  @Test func aDaemonMayBeReadyInEveryWay() throws {
    let program = try Fixture.c(
      """
      #include <stdio.h>
      #include <stdlib.h>
      #include <unistd.h>
      void firstlight_ready(void);
      int main(void) {
        pid_t first = getpid();
        if (daemon(1, 1) != 0) return 1;
        // Ready before its parent is gone, it would not be in the background yet.
        while (getppid() == first) usleep(1000);
        usleep(10000);
        puts("in the background");
        fflush(stdout);
        firstlight_ready();
        for (;;) pause();
      }
      """)
    for moment in ["ready", "line:in the background"] {
      let account = try program.launch(["--runs", "1", "--no-calls", "--until", moment])
      #expect(account.failure == nil)
      #expect(
        account.notes.contains { $0.hasPrefix("The program went into the background") }, "\(moment)"
      )
      // The program has guards, which is said, as they take time.
      #expect(account.notes.contains { $0.contains("Instrumented binary") })
    }
  }

  @Test func daemonThatExitsBeforeReadyFails() throws {
    let program = try Fixture.c(
      """
      #include <unistd.h>
      int main(void) { return daemon(1, 1); }
      """, flags: Fixture.plain)
    let account = try program.launch(
      ["--runs", "1", "--no-calls", "--until", "line:never"], expecting: 65)
    #expect(account.failure?.contains("ended with exit status 0 before it had") == true)
  }
}
