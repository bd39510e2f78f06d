import Foundation
import TestSupport
import Testing

/// Where breakpoints are hard to have: sandboxes, stripped files, foreign programs, no leave.
@Suite(.tags(.compiler)) struct TracerLimitTests {
  @Test func aStrictSandboxNoticesNothing() throws {
    let program = try Fixture.c(
      """
      #include <linux/seccomp.h>
      #include <sys/prctl.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      void inside(void) {}
      int main(void) {
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
        inside();
        write(1, "in\\n", 3);
        syscall(SYS_exit, 2);
      }
      """, options: ["-O0"], flags: Fixture.plain)
    let watched = try program.watchUnnoticed()
    #expect(watched.result.output == "in\n" && watched.result.status == 2)
    #expect(try watched.order() == ["main", "inside"])
  }

  @Test func aStrippedProgramIsCountedByItsUnwindTables() throws {
    let program = try Fixture.c(
      "void never(void) {}\nvoid called(void) {}\nint main(void) { called(); return 0; }",
      options: ["-O0"], flags: Fixture.plain)
    let whole = try Answer.info(program.watch().profile)
    try Command.check(["llvm-objcopy", "--strip-all", program.executable])
    let watched = try program.watchUnnoticed()
    #expect(watched.result.errors.contains("has no symbol table"))
    let info = try Answer.info(watched.profile)
    // `_init` and `_fini` and what else has no unwind entry is missing, `main` and `called` are not.
    #expect(info.builds[0].called >= 3 && info.builds[0].called <= whole.builds[0].called)
    let names = try Answer.dead([watched.profile, "--all"]).functions.map(\.name)
    #expect(!names.isEmpty && names.allSatisfy { $0.hasPrefix("fn_") })
    let order = try Command.run([Toolchain.firstlight, "order", watched.profile])
    #expect(order.status == 65 && order.errors.contains("have no names"))
  }

  @Test func aStrippedProgramWithItsDebugFile() throws {
    let program = try Fixture.c(
      "void f(void) {}\nint main(void) { f(); return 0; }", options: ["-O0"], flags: Fixture.plain)
    let debug = program.directory.path("program.debug")
    try Command.check(["llvm-objcopy", "--only-keep-debug", program.executable, debug])
    try Command.check([
      "llvm-objcopy", "--strip-all", "--add-gnu-debuglink=\(debug)", program.executable,
    ])
    #expect(try program.watchUnnoticed().order() == ["main", "f"])
  }

  @Test func aProgramThatCallsNothing() throws {
    let program = try Fixture.c(
      """
      void never(void) {}
      __asm__(".globl _start\\n_start: mov $60, %eax\\n mov $8, %edi\\n syscall");
      """, options: ["-O0", "-nostdlib", "-static"], flags: Fixture.plain)
    let watched = try program.watchUnnoticed()
    #expect(watched.result.status == 8)
    #expect(try Answer.info(watched.profile).processes.map(\.firstCalls) == [0])
    #expect(try Answer.dead([watched.profile]).mangledNames == ["never"])
  }

  @Test(.tags(.root), .enabled(if: getuid() == 0, "needs root")) func aProgramOfAnotherUser() throws
  {
    let program = try Fixture.c(
      """
      #include <stdio.h>
      #include <unistd.h>
      int main(void) { printf("%d %d\\n", (int)getuid(), (int)geteuid()); return 0; }
      """, flags: Fixture.plain)
    try #require(chown(program.executable, 65534, 65534) == 0)
    try #require(chmod(program.executable, 0o4755) == 0)
    let watched = try program.watchUnnoticed()
    #expect(watched.result.output == "0 65534\n")
    #expect(try watched.order() == ["main"])
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "needs python3"))
  func pythonRunsUnchanged() throws {
    let directory = try TemporaryDirectory()
    let script = try directory.write(
      """
      import json, subprocess, threading, signal, os
      print(json.dumps({"a": [1, 2]}), subprocess.run(["echo", "hi"], capture_output=True).stdout)
      threads = [threading.Thread(target=sorted, args=(range(9),)) for _ in range(8)]
      [t.start() for t in threads]; [t.join() for t in threads]
      signal.signal(signal.SIGUSR1, lambda *_: print("user"))
      os.kill(os.getpid(), signal.SIGUSR1)
      pid = os.fork()
      if pid == 0: os._exit(4)
      print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
      raise SystemExit(3)
      """, to: "script.py")
    let bare = try Command.run(["/usr/bin/python3", script])
    let watched = try Watched.run(["/usr/bin/python3", script], in: directory)
    #expect(watched.result.output == bare.output)
    #expect(watched.result.status == 3)
    #expect(try Answer.info(watched.profile).builds[0].called > 100)
  }

  @Test func tracingIsRefused() throws {
    let sandbox = try Fixture.c(
      """
      #include <errno.h>
      #include <linux/audit.h>
      #include <linux/filter.h>
      #include <linux/seccomp.h>
      #include <stddef.h>
      #include <sys/prctl.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      int main(int count, char **arguments) {
        (void)count;
        struct sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog program = {sizeof code / sizeof *code, code};
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 1;
        execv(arguments[1], arguments + 1);
        return 1;
      }
      """, flags: Fixture.plain)
    let profile = sandbox.directory.path("p.flp")
    let result = try Command.run([
      sandbox.executable, Toolchain.firstlight, "record", "--no-rebuild", "-o", profile, "--",
      "sh", "-c", "echo must not run",
    ])
    #expect(result.status == 69 && result.output == "")
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.errors.contains("the program cannot be traced: Operation not permitted"))
    #expect(result.errors.contains("--cap-add=SYS_PTRACE"))
  }

  @Test func aProgramThatIsNotThere() throws {
    let directory = try TemporaryDirectory()
    let missing = try Watched.run(["/nonexistent"], in: directory)
    #expect(missing.result.status == 127)
    #expect(missing.result.errors.contains("/nonexistent: cannot start: No such file"))
    let text = try directory.write("not a program\n", to: "text")
    #expect(try Watched.run([text], in: directory).result.status == 126)
    for options in [["--image", "*"], ["--no-rebuild", "--directory", "."]] {
      let result = try Command.run([Toolchain.firstlight, "record"] + options + ["--", "true"])
      #expect(result.status == 64)
    }
  }
}
