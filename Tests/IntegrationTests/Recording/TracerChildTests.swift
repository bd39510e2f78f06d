import Foundation
import TestSupport
import Testing

/// No child of a watched program is left with breakpoints that nobody takes out, whatever keeps the
/// recorder from its memory.
@Suite(.tags(.compiler)) struct TracerChildTests {
  /// Forks as many children as its first argument says, which all live until the last one is there.
  private static let crowd = """
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/resource.h>
    #include <sys/wait.h>
    #include <unistd.h>
    __attribute__((noinline)) int child_work(int i) { __asm__ volatile("" ::"r"(i)); return i; }
    int main(int count, char **arguments) {
      (void)count;
      int go[2], status, well = 0, badly = 0;
      char byte;
      struct rlimit limit;
      pipe(go);
      for (int i = 0; i < atoi(arguments[1]); i++) {
        if (fork() != 0) continue;
        close(go[1]);
        read(go[0], &byte, 1);
        _exit(child_work(0));
      }
      close(go[1]);
      while (wait(&status) > 0) *(status == 0 ? &well : &badly) += 1;
      getrlimit(RLIMIT_NOFILE, &limit);
      printf("%d well, %d badly, %d files\\n", well, badly, (int)limit.rlim_cur);
      return 0;
    }
    """

  private func record(_ program: Fixture, limit: String, children: Int) throws -> Watched {
    let profile = program.directory.path("p.flp")
    let result = try Command.run([
      "sh", "-c", "ulimit \(limit); exec \"$@\"", "sh", Toolchain.firstlight, "record",
      "--no-rebuild", "-o", profile, "--", program.executable, "\(children)",
    ])
    return Watched(result: result, profile: profile)
  }

  @Test func theSoftLimitOfOpenFilesIsNoLimitOfChildren() throws {
    let program = try Fixture.c(Self.crowd, flags: Fixture.plain)
    let watched = try record(program, limit: "-Sn 100", children: 120)
    #expect(watched.result.output == "120 well, 0 badly, 100 files\n")
    let info = try Answer.info(watched.profile)
    #expect(info.processes.count == 121)
    #expect(info.losses.unrecordedProcesses == 0)
  }

  @Test func childrenBeyondTheHardLimitRunUnrecordedAndAreCounted() throws {
    let program = try Fixture.c(Self.crowd, flags: Fixture.plain)
    let watched = try record(program, limit: "-n 100", children: 120)
    #expect(watched.result.output == "120 well, 0 badly, 100 files\n")
    #expect(watched.result.errors.contains("ran unrecorded: Too many open files; raise the hard"))
    let info = try Answer.info(watched.profile)
    #expect(info.losses.unrecordedProcesses > 0)
    #expect(info.losses.unrecordedProcesses + info.processes.count == 121)
    let dead = try Command.run([Toolchain.firstlight, "dead", watched.profile])
    #expect(dead.status == 3 && dead.errors.contains("unrecorded processes): listed functions may"))
  }

  private static let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]

  /// Records as an ordinary user, who may not access the memory of a process that is undumpable.
  private func recordAsUser(_ command: [String], in directory: TemporaryDirectory) throws -> Watched
  {
    let folder = directory.path("user")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try #require(chmod(directory.url.path, 0o755) == 0 && chmod(folder, 0o777) == 0)
    let profile = folder + "/p.flp"
    let result = try Command.run(
      Watched.handingDownNothing + Self.user + [
        "env", "HOME=\(folder)", "TMPDIR=\(folder)", Toolchain.firstlight, "record",
      ]
        + ["--no-rebuild", "-o", profile, "--"] + command)
    return Watched(result: result, profile: profile)
  }

  /// Each way to make a child, once in a program that is undumpable.
  private static let ways = """
    #define _GNU_SOURCE
    #include <linux/sched.h>
    #include <sched.h>
    #include <signal.h>
    #include <stdint.h>
    #include <stdio.h>
    #include <sys/prctl.h>
    #include <sys/syscall.h>
    #include <sys/wait.h>
    #include <unistd.h>
    #define WORK(name) \\
      __attribute__((noinline)) int name(int i) { __asm__ volatile("" ::"r"(i)); return i; }
    WORK(in_fork) WORK(in_shared) WORK(in_silent) WORK(in_vforked) WORK(in_clone3) WORK(in_failed)
    static char stack[1 << 16] __attribute__((aligned(16)));
    static int shared(void *unused) { (void)unused; return in_shared(2); }
    static void end_of(pid_t pid) {
      int status = -1;
      waitpid(pid, &status, __WALL);
      printf("%x %d\\n", status, prctl(PR_GET_DUMPABLE));
      fflush(stdout);
    }
    int main(void) {
      prctl(PR_SET_DUMPABLE, 0);
      pid_t pid = fork();
      if (pid == 0) _exit(prctl(PR_GET_DUMPABLE) == 0 ? in_fork(1) : 99);
      end_of(pid);
      end_of(clone(shared, stack + sizeof stack, CLONE_VM | SIGCHLD, 0));
      pid = syscall(SYS_clone, 0, 0, 0, 0, 0);
      if (pid == 0) _exit(in_silent(3));
      end_of(pid);
      pid = syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
      if (pid == 0) _exit(in_vforked(4));
      end_of(pid);
      struct clone_args form = {.exit_signal = SIGCHLD};
      pid = syscall(SYS_clone3, &form, sizeof form);
      if (pid == 0) _exit(in_clone3(5));
      end_of(pid);
      pid = vfork();
      if (pid == 0) { execl("/nonexistent", "x", (char *)0); _exit(in_failed(6)); }
      end_of(pid);
      return in_fork(0) + in_silent(0) + in_vforked(0) + in_clone3(0);
    }
    """

  @Test(
    .tags(.root), .enabled(if: getuid() == 0 && isInstalled("setpriv"), "needs root and setpriv"))
  func childrenOfAnUndumpableProgramAreRecorded() throws {
    let program = try Fixture.c(Self.ways, options: ["-O1"], flags: Fixture.plain)
    let watched = try recordAsUser([program.executable], in: program.directory)
    #expect(watched.result.status == 0)
    #expect(watched.result.output == "100 0\n200 0\n300 0\n400 0\n500 0\n600 0\n")
    let traces = try StoredTrace.all(of: watched.profile)
    #expect(
      traces.map { $0.names.filter { $0.hasPrefix("in_") } } == [
        ["in_shared", "in_failed", "in_fork", "in_silent", "in_vforked", "in_clone3"],
        ["in_fork"], ["in_silent"], ["in_vforked"], ["in_clone3"],
      ])
    #expect(try Answer.info(watched.profile).losses.isEmpty)
  }

  /// It makes itself undumpable and goes into the background.
  @Test(
    .tags(.root),
    .enabled(
      if: getuid() == 0 && isInstalled("setpriv") && isInstalled("ssh-agent"),
      "needs root, setpriv and ssh-agent"))
  func anSSHAgentLives() throws {
    let directory = try TemporaryDirectory()
    let agent = directory.path("agent")
    try Command.check(["cp", "/usr/bin/ssh-agent", agent])
    try Command.check(["mkdir", "-m", "777", directory.path("sockets")])
    let socket = directory.path("sockets/agent")
    let watched = try recordAsUser([agent, "-a", socket], in: directory)
    let pid = try #require(
      watched.result.output.split(separator: ";").first { $0.contains("SSH_AGENT_PID=") }
        .flatMap { Int32($0.split(separator: "=")[1]) })
    defer { kill(pid, SIGTERM) }
    let answer = try Command.run(Self.user + ["env", "SSH_AUTH_SOCK=\(socket)", "ssh-add", "-l"])
    #expect(answer.output + answer.errors == "The agent has no identities.\n")
    #expect(try Answer.info(watched.profile).losses.runningProcesses == 1)
  }

  /// The tracer takes CLONE_UNTRACED off, in whatever process and however the flags got there.
  @Test(arguments: ["clone", "clone3"])
  func aChildThatIsToBeUntracedIsRecorded(call: String) throws {
    let program = try Fixture.c(
      """
      #include <linux/sched.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/syscall.h>
      #include <sys/wait.h>
      #include <unistd.h>
      __attribute__((noinline)) int work(int i) { __asm__ volatile("" ::"r"(i)); return i; }
      int main(int count, char **arguments) {
        int status;
        long flags = strtol(arguments[2], 0, 16);
        struct clone_args fields = {.flags = (unsigned long)flags & ~255ul, .exit_signal = flags & 255};
        pid_t pid = strcmp(arguments[1], "clone") == 0 ? syscall(SYS_clone, flags, 0, 0, 0, 0)
                                                       : syscall(SYS_clone3, &fields, sizeof fields);
        if (pid == 0) _exit(work(3));
        waitpid(pid, &status, 0);
        printf("%d %x\\n", pid > 0, status);
        return count - 3;
      }
      """, flags: Fixture.plain)
    let watched = try Watched.run(
      ["sh", "-c", "\(program.executable) \(call) 800011; exit $?"], in: program.directory)
    #expect(watched.result.output == "1 300\n" && watched.result.status == 0)
    let traces = try StoredTrace.all(of: watched.profile)
    #expect(traces.map { $0.names.contains("work") } == [false, true])
    #expect(try Answer.info(watched.profile).losses.isEmpty)
  }

  /// A program that runs already cannot be filtered: the kernel hides the child from the tracer.
  @Test func anUntracedChildOfAnAttachedProgramIsCounted() throws {
    let program = try Attached(
      Attached.source.replacing(
        "if (fork() == 0)", with: "if (syscall(SYS_clone, 0x800011L, 0, 0, 0, 0) == 0)"
      ).replacing("#include <fcntl.h>", with: "#include <fcntl.h>\n#include <sys/syscall.h>"))
    let window = try program.watch(["--ptrace"])
    try program.order("f")
    try program.command.waitForOutput { $0.contains("did f") ? true : nil }
    window.command.send(SIGINT)
    #expect(
      try window.command.wait().output.contains("was killed, as its breakpoints could not be"))
    #expect(try Answer.info(window.profile).losses.unrecordedProcesses == 1)
    try program.end()
  }

  /// The numbers of processes in /proc would be others'.
  @Test(.tags(.root), .enabled(if: getuid() == 0, "needs root"))
  func aForeignProcIsRefused() throws {
    let directory = try TemporaryDirectory()
    let result = try Command.run([
      "unshare", "--pid", "--fork", Toolchain.firstlight, "record", "--no-rebuild", "-o",
      directory.path("p.flp"), "--", "sh", "-c", "echo must not run",
    ])
    #expect(result.status == 69 && result.output == "")
    #expect(result.errors.contains("/proc is of another pid namespace; mount one here: unshare"))
  }

  /// A filter of system calls keeps the child from being made dumpable.
  @Test(
    .tags(.root), .enabled(if: getuid() == 0 && isInstalled("setpriv"), "needs root and setpriv"))
  func aChildWhoseBreakpointsStayInIsKilledAndTheNextLives() throws {
    let program = try Fixture.c(
      """
      #include <errno.h>
      #include <linux/filter.h>
      #include <linux/seccomp.h>
      #include <stddef.h>
      #include <stdio.h>
      #include <sys/prctl.h>
      #include <sys/syscall.h>
      #include <sys/wait.h>
      #include <unistd.h>
      __attribute__((noinline)) int work(int i) { __asm__ volatile("" ::"r"(i)); return i; }
      int main(void) {
        struct sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog filter = {sizeof code / sizeof *code, code};
        prctl(PR_SET_DUMPABLE, 0);
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 1;
        for (int i = 1; i < 4; i++) {
          int status;
          pid_t pid = fork();
          if (pid == 0) _exit(work(i));
          waitpid(pid, &status, 0);
          printf("%x\\n", status);
        }
        return 0;
      }
      """, flags: Fixture.plain)
    let watched = try recordAsUser([program.executable], in: program.directory)
    #expect(watched.result.output == "9\n200\n300\n")
    #expect(watched.result.errors.contains("was killed, as its breakpoints could not be removed"))
    #expect(try Answer.info(watched.profile).losses.unrecordedProcesses == 3)
  }

  /// The event that announces a child is lost if its parent is killed in fork.
  @Test func childrenOfParentsThatAreKilledInForkGoOn() throws {
    let program = try Fixture.c(
      """
      #include <poll.h>
      #include <signal.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <sys/prctl.h>
      #include <sys/wait.h>
      #include <unistd.h>
      __attribute__((noinline)) int work(int i) { __asm__ volatile("" ::"r"(i)); return i; }
      int main(void) {
        int held = 0, trapped = 0, status;
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        for (int round = 0; round < 100; round++) {
          int up[2];
          pipe(up);
          pid_t parent = fork();
          if (parent == 0) {
            for (;;)
              if (fork() == 0) _exit(work(0));
          }
          close(up[1]);
          usleep((useconds_t)(rand() % 2000));
          kill(parent, SIGKILL);
          // Can be read once all that have the other end are gone.
          struct pollfd end = {up[0], POLLIN, 0};
          held += poll(&end, 1, 10000) == 0;
          close(up[0]);
          while (wait(&status) > 0) trapped += WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP;
          if (held > 0) break;
        }
        printf("%d held, %d trapped\\n", held, trapped);
        return 0;
      }
      """, flags: Fixture.plain)
    let watched = try program.watch()
    #expect(watched.result.output == "0 held, 0 trapped\n")
    #expect(try Answer.info(watched.profile).losses.isEmpty)
  }
}

func isInstalled(_ program: String) -> Bool {
  FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
}
