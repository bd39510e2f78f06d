import Foundation
import TestSupport
import Testing

/// Instrumented processes whose recordings never come, or go again: lists and `info` name the loss.
@Suite(.tags(.compiler)) struct MissingProcessTests {
  private static let source = """
    #include <stdlib.h>
    #include <sys/wait.h>
    #include <unistd.h>
    __attribute__((noinline)) void work(void) { __asm__ volatile(""); }
    int main(int count, char **arguments) {
      int status;
      if (count < 2) return 0;
      if (fork() == 0) { work(); _exit(0); }
      wait(&status);
      return system(arguments[1]);
    }
    """

  /// Records a script in which `$0` is the program, and expects one missing process.
  private func expectLoss(
    _ script: String, because reason: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let program = try Fixture.c(Self.source)
    let profile = program.directory.path("p.flp")
    let result = try Command.run([
      Toolchain.firstlight, "record", "-o", profile, "--", "sh", "-c", script, program.executable,
    ])
    #expect(result.status == 0, "\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.errors.contains(reason), "\(result.errors)", sourceLocation: sourceLocation)
    let info = try Answer.info(profile)
    #expect(info.losses.unrecordedProcesses == 1, sourceLocation: sourceLocation)
    let dead = try Command.run([Toolchain.firstlight, "dead", profile])
    #expect(
      dead.status == 3 && dead.errors.contains("1 unrecorded process"), "\(dead.errors)",
      sourceLocation: sourceLocation)
  }

  /// As tests do that clean up /tmp.
  @Test func filesThatAreRemovedAreALoss() throws {
    let newest = #"$(ls -t *.process | head -1 | sed s/.process//)"#
    try expectLoss(
      #"$0; $0 'cd $FIRSTLIGHT_DIR; rm -f "# + newest + "*'",
      because: "files of 1 process were removed from the run's directory")
  }

  @Test func filesThatAreMovedAwayAreALoss() throws {
    let newest = #"$(ls -t *.process | head -1 | sed s/.process//)"#
    try expectLoss(
      #"$0; $0 'cd $FIRSTLIGHT_DIR; mkdir $$; mv "# + newest + "* $$; rm -r $$'",
      because: "files of 1 process were removed from the run's directory")
  }

  /// Of the first process the calls are left, of the second nothing.
  @Test(arguments: [["process"], ["process", "segment"]])
  func filesThatAreCutAreALoss(kinds: [String]) throws {
    let program = try Fixture.c(Self.source)
    let folder = program.directory.path("files")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try Command.check([program.executable, "true"], environment: ["FIRSTLIGHT_DIR": folder])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let process = try #require(names.filter { $0.hasSuffix(".process") }.sorted().last)
    for name in names where name.hasPrefix(process.dropLast(".process".count)) {
      if kinds.contains(where: { name.hasSuffix(".\($0)") }) {
        #expect(truncate("\(folder)/\(name)", 0) == 0)
      }
    }
    let profile = program.directory.path("p.flp")
    try Command.check([Toolchain.firstlight, "record", "--directory", folder, "-o", profile])
    let info = try Answer.info(profile)
    #expect(info.losses.unrecordedProcesses == 1)
    #expect(try Command.run([Toolchain.firstlight, "dead", profile]).status == 3)
  }

  /// As in the sandboxes of build systems, whose standard error goes to a log.
  @Test(.tags(.root), .enabled(if: getuid() == 0, "needs root"))
  func aMountNamespaceThatHidesTheDirectoryIsALoss() throws {
    try expectLoss(
      #"""
      $0; exec 9< $0; exec unshare -m sh -c 'mount -t tmpfs t "${FIRSTLIGHT_DIR%/*}"; exec /proc/self/fd/9 true' 2>/dev/null
      """#, because: "1 instrumented process could not write to the run's directory")
  }

  @Test(
    .tags(.root), .enabled(if: getuid() == 0 && isInstalled("setpriv"), "needs root and setpriv"))
  func anotherUserIsALoss() throws {
    try expectLoss(
      "$0; exec 9< $0; exec setpriv --reuid 65534 --clear-groups /proc/self/fd/9 true 2>/dev/null",
      because: "1 instrumented process could not write to the run's directory")
  }

  /// Then nothing was recorded, and the reason is not that nothing was instrumented.
  @Test(
    .tags(.root), .enabled(if: getuid() == 0 && isInstalled("setpriv"), "needs root and setpriv"))
  func aRunWithoutAnyRecordingNamesTheReason() throws {
    let program = try Fixture.c(Self.source)
    let result = try Command.run([
      Toolchain.firstlight, "record", "-o", program.directory.path("p.flp"), "--", "sh", "-c",
      "exec 9< $0; exec setpriv --reuid 65534 --clear-groups /proc/self/fd/9", program.executable,
    ])
    #expect(result.status == 65 && result.errors.contains("nothing was recorded: 1 instrumented"))
  }

  /// Only `record` and `test` listen. Elsewhere a sandbox may kill what asks for a socket.
  @Test func aProcessThatNoToolRecordsSendsNothing() throws {
    let program = try Fixture.c(Self.source)
    let sandbox = try Fixture.c(
      """
      #include <linux/filter.h>
      #include <linux/seccomp.h>
      #include <stddef.h>
      #include <sys/prctl.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      int main(int count, char **arguments) {
        struct sock_filter code[] = {
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog filter = {sizeof code / sizeof *code, code};
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 9;
        execv(arguments[1], arguments + 1);
        return 8;
      }
      """, flags: Fixture.plain)
    let result = try Command.run(
      [sandbox.executable, program.executable], environment: ["FIRSTLIGHT_DIR": "/nonexistent"])
    #expect(result.status == 0 && !result.signalled, "\(result.errors)")
  }
}
