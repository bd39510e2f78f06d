import Foundation
import TestSupport
import Testing

/// `record` stands between a program and its caller unseen.
@Suite(.tags(.compiler)) struct RecordTests {
  @Test func inputOutputErrorsAndStatusAreTheProgramsOwn() throws {
    let program = try Fixture.c(
      """
      #include <stdio.h>
      int main(void) {
        int c;
        while ((c = getchar()) != EOF) putchar(c);
        fputs("said to error\\n", stderr);
        return 7;
      }
      """)
    let result = try Command.run(
      [
        Toolchain.firstlight, "record", "-o", program.directory.path("p.flp"), "--",
        program.executable,
      ], input: "some input\n")
    #expect(result.status == 7)
    #expect(result.output == "some input\n")
    let errors = result.errors.split(separator: "\n")
    #expect(errors.count == 3)
    #expect(errors.first == "said to error")
    #expect(
      errors.dropFirst().first?.hasPrefix("firstlight: recorded 1 of 1 function in 1 process")
        == true)
    #expect(errors.last?.hasPrefix("firstlight: next: firstlight dead ") == true)
    #expect(try Answer.order([program.directory.path("p.flp")]) == ["main"])
  }

  @Test func aCrashKeepsItsSignalAndItsFirstCalls() throws {
    let program = try Fixture.c(
      """
      void before(void) {}
      int main(void) { before(); *(volatile int *)0 = 1; return 0; }
      """, options: ["-O0"])
    let profile = program.directory.path("p.flp")
    let result = try Command.run(
      [Toolchain.firstlight, "record", "-o", profile, "--", program.executable])
    #expect(result.signalled)
    #expect(result.status == SIGSEGV)
    #expect(try Answer.order([profile]) == ["main", "before"])
    #expect(try Answer.info(profile).runs[0].outcome.contains("killed by signal 11"))
  }

  @Test func signalsReachTheProgram() throws {
    let program = try Fixture.c(
      """
      #include <signal.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <unistd.h>
      static volatile int stopped;
      static void on_user(int s) { (void)s; write(1, "user\\n", 5); }
      static void on_term(int s) { (void)s; write(1, "term\\n", 5); stopped = 1; }
      int main(void) {
        signal(SIGUSR1, on_user);
        signal(SIGTERM, on_term);
        write(1, "up\\n", 3);
        while (!stopped) pause();
        return 3;
      }
      """)
    let profile = program.directory.path("p.flp")
    let run = try Command.start(
      [Toolchain.firstlight, "record", "-o", profile, "--", program.executable])
    try run.waitForOutput { $0.contains("up\n") ? true : nil }
    run.send(SIGUSR1)
    try run.waitForOutput { $0.contains("user\n") ? true : nil }
    run.send(SIGTERM)
    let result = try run.wait()
    #expect(result.output == "up\nuser\nterm\n")
    #expect(result.status == 3)
    #expect(try Answer.order([profile]) == ["main", "on_user", "on_term"])
  }

  @Test func theProgramsSignalMaskIsUntouched() throws {
    let result = try Command.run(
      [Toolchain.firstlight, "record", "-o", "/dev/null/x", "--", "true"])
    #expect(result.status == 73)
    let directory = try TemporaryDirectory()
    let masks = try Command.run(
      [
        Toolchain.firstlight, "record", "-o", directory.path("p.flp"), "--", "grep", "SigBlk",
        "/proc/self/status",
      ])
    #expect(masks.output.contains("0000000000000000"))
  }

  @Test func aTimeLimitStopsAProgramThatNeverExits() throws {
    let program = try Fixture.c(
      "#include <unistd.h>\nint main(void) { for (;;) pause(); }")
    let profile = program.directory.path("p.flp")
    let result = try Command.run(
      [Toolchain.firstlight, "record", "--until", "200ms", "-o", profile, "--", program.executable])
    #expect(result.status == 0 && !result.signalled)
    #expect(try Answer.order([profile]) == ["main"])
    #expect(try Answer.info(profile).runs[0].outcome == "stopped after 200 ms")
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
      """, options: ["-O0", "-I\(include)"])
    let profile = program.directory.path("p.flp")
    let result = try Command.run(
      [Toolchain.firstlight, "record", "--until", "ready", "-o", profile, "--", program.executable])
    #expect(result.status == 0 && !result.signalled)
    #expect(try Answer.order([profile]) == ["main", "before"])
  }

  @Test(arguments: [
    ("ready", "reported ready"), ("line:nope", "printed a line with \"nope\""),
    ("port:47311", "listened on port 47311"),
    ("http:47312/", "answered http://127.0.0.1:47312/"),
  ])
  func aProgramThatEndsBeforeTheMomentIsRecordedWhole(moment: String, done: String) throws {
    let program = try Fixture.c("int main(void) { return 0; }")
    let profile = program.directory.path("p.flp")
    let result = try Command.run(
      [Toolchain.firstlight, "record", "--until", moment, "-o", profile, "--", program.executable])
    #expect(result.status == 65 && !result.signalled)
    #expect(
      result.errors.contains(
        "error: \(program.executable) ended (exit status 0) before it had \(done); "),
      "\(result.errors)")
    #expect(try Answer.order([profile]) == ["main"])
  }

  @Test(arguments: [
    ("line:up", "puts(\"up\");"), ("ready", "firstlight_ready();"), ("9s", ""), ("exit", ""),
  ])
  func aMomentRightBeforeTheEndIsSeen(moment: String, statement: String) throws {
    let include = Toolchain.project.appending(path: "CSupport/FirstlightRuntime/include").path
    let program = try Fixture.c(
      "#include <firstlight.h>\n#include <stdio.h>\nint main(void) { \(statement) return 0; }",
      options: ["-O0", "-I\(include)"])
    let profile = program.directory.path("p.flp")
    let result = try Command.run(
      [Toolchain.firstlight, "record", "--until", moment, "-o", profile, "--", program.executable])
    #expect(result.status == 0 && !result.errors.contains("error:"), "\(result.errors)")
  }

  @Test func eachProcessIsItsOwnTrace() throws {
    let program = try Fixture.c(
      """
      #include <sys/wait.h>
      #include <unistd.h>
      void child(void) {}
      void parent(void) {}
      int main(int count, char **arguments) {
        (void)arguments;
        if (count > 1) return 0;
        pid_t pid = fork();
        if (pid == 0) { child(); _exit(0); }
        waitpid(pid, 0, 0);
        parent();
        return 0;
      }
      """, options: ["-O0"])
    let profile = program.directory.path("p.flp")
    try Command.check([
      Toolchain.firstlight, "record", "-o", profile, "--", "sh", "-c",
      "\(program.executable); \(program.executable) again",
    ])
    let info = try Answer.info(profile)
    #expect(info.builds.count == 1)
    #expect(info.processes.map(\.firstCalls).sorted() == [1, 1, 2])
    #expect(info.processes.count { $0.forkedFrom != nil } == 1)
    #expect(try Answer.dead([profile]).functions.isEmpty)
  }

  @Test func sharedLibrariesHaveOrdersOfTheirOwn() throws {
    let directory = try TemporaryDirectory()
    let flags = try Toolchain.flags("clang")
    for name in ["one", "two"] {
      let file = try directory.write(
        "void \(name)_never(void) {}\nvoid \(name)_inner(void) {}\n"
          + "void \(name)(void) { \(name)_inner(); }\n", to: "\(name).c")
      try Command.check(
        ["clang", "-g", "-fPIC", "-shared", file, "-o", directory.path("lib\(name).so")] + flags)
    }
    let main = try directory.write(
      "void one(void); void two(void);\nint main(void) { two(); one(); return 0; }\n", to: "main.c")
    try Command.check(
      [
        "clang", "-g", main, "-o", directory.path("program"), "-L\(directory.url.path)", "-lone",
        "-ltwo", "-Wl,-rpath,\(directory.url.path)",
      ] + flags)
    let profile = directory.path("p.flp")
    try Command.check([
      Toolchain.firstlight, "record", "-o", profile, "--", directory.path("program"),
    ])
    #expect(try Answer.order([profile]) == ["main"])
    #expect(try Answer.order([profile, "--image", "libone.so"]) == ["one", "one_inner"])
    #expect(try Answer.order([profile, "--image", "*/libtwo.so"]) == ["two", "two_inner"])
    #expect(try Answer.dead([profile]).mangledNames == ["one_never", "two_never"])
    #expect(try Answer.dead([profile, "--module", "libone*"]).mangledNames == ["one_never"])
  }

  @Test func nothingIsRecordedOrMadeUnasked() throws {
    let program = try Fixture.c("int main(void) { return 0; }")
    let before = program.directory.entries
    let result = try Command.run([program.executable], in: program.directory.url)
    #expect(result.status == 0)
    #expect(result.output + result.errors == "")
    #expect(program.directory.entries == before)
  }

  @Test func aDirectoryThatProgramsWroteIntoBecomesAProfile() throws {
    let program = try Fixture.c("int main(void) { return 0; }")
    let spool = try TemporaryDirectory()
    try Command.check([program.executable], environment: ["FIRSTLIGHT_DIR": spool.url.path])
    let profile = program.directory.path("p.flp")
    try Command.check([
      Toolchain.firstlight, "record", "--directory", spool.url.path, "-o", profile,
    ])
    #expect(try Answer.order([profile]) == ["main"])
    #expect(!spool.entries.isEmpty)
  }

  @Test(arguments: ["/nonexistent/directory", "/proc", "relative/path"])
  func aDirectoryThatCannotBeWrittenToLeavesTheProgramAlone(directory: String) throws {
    let program = try Fixture.c("#include <stdio.h>\nint main(void) { puts(\"ran\"); return 5; }")
    let result = try Command.run([program.executable], environment: ["FIRSTLIGHT_DIR": directory])
    #expect(result.status == 5)
    #expect(result.output == "ran\n")
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.errors.hasPrefix("firstlight: "))
    let quiet = try Command.run(
      [program.executable], environment: ["FIRSTLIGHT_DIR": directory, "FIRSTLIGHT_QUIET": "1"])
    #expect(quiet.errors == "")
  }

  @Test func threadsRecordEachFunctionOnce() throws {
    let names = (0..<200).map { "f\($0)" }
    let program = try Fixture.c(
      """
      #include <pthread.h>
      \(names.map { "void \($0)(void) {}" }.joined(separator: "\n"))
      static void (*const all[])(void) = {\(names.joined(separator: ", "))};
      static void *run(void *unused) {
        for (int i = 0; i < 200; i++) all[i]();
        return unused;
      }
      int main(void) {
        pthread_t threads[8];
        for (int i = 0; i < 8; i++) pthread_create(&threads[i], 0, run, 0);
        for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
        return 0;
      }
      """, options: ["-O0", "-pthread"])
    let profile = try program.record()
    let order = try Answer.order([profile])
    #expect(order.count == 202)
    #expect(Set(order) == Set(names + ["main", "run"]))
    #expect(try Answer.info(profile).processes.map(\.firstCalls) == [202])
  }
}
