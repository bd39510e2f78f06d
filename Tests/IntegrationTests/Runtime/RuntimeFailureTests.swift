import Foundation
import TestSupport
import Testing

/// When recording becomes impossible, the program goes on as if nothing were.
@Suite(.tags(.compiler)) struct RuntimeFailureTests {
  @Test(arguments: ["cut", "removed", "handles", "size"])
  func theProgramDoesItsWork(way: String) throws {
    let program = try Fixture.runtime("failing")
    for quiet in [false, true] {
      let directory = try TemporaryDirectory()
      try FileManager.default.createDirectory(
        atPath: directory.path("spool"), withIntermediateDirectories: true)
      let result = try program.run(
        [way, directory.path("spool")],
        environment: [
          "FIRSTLIGHT_DIR": directory.path("spool"), "FIRSTLIGHT_QUIET": quiet ? "1" : "",
        ])
      #expect(result.output == "ran\n")
      #expect(result.status == 5 && !result.signalled)
      // One line for the process and its three children together.
      let lines = result.errors.split(separator: "\n")
      #expect(lines.count == (quiet ? 0 : 1))
      #expect(lines.allSatisfy { $0.hasPrefix("firstlight: ") })
    }
  }

  /// Whoever of the process has guards sees to SIGBUS, and gives it back when it goes.
  @Test(arguments: [true, false])
  func aLibraryWhoseFilesAreCutShortIsNoHarm(hostHasGuards: Bool) throws {
    let host =
      hostHasGuards
      ? try Fixture.runtime("loader") : try Fixture.c(Fixture.runtimeSource("loader"), flags: [])
    let library = try Fixture.library("void entry(void) {} void again(void) {}")
    let spool = try Spool()
    try withExtendedLifetime(library) {
      let result = try host.run(
        ["cut", library.executable, spool.directory.url.path], into: spool)
      #expect(result.status == 0 && !result.signalled)
      #expect(result.output == (hostHasGuards ? "handled\n" : "default\n"))
      #expect(result.errors.split(separator: "\n").count == 1)
    }
  }

  @Test(arguments: [EPERM, ENOSYS, EOPNOTSUPP, EMLINK])
  func aFileSystemMayRefuseHardLinks(error: Int32) throws {
    let program = try Fixture.runtime("linkless")
    let spool = try Spool()
    let result = try program.run(into: spool, environment: ["REFUSAL": "\(error)"])
    #expect(result.status == 0 && result.errors == "")
    #expect(try spool.traces().map(\.names) == [["main", "called"]])
  }

  static let canMount = (try? Command.run(["unshare", "-m", "true"]))?.status == 0

  /// With room for no file at all, for the process file only, for both, and for those of one child.
  @Test(
    .enabled(if: canMount, "mounts file systems of its own, so needs root"),
    arguments: ["size=4k,ro", "nr_inodes=1", "size=4k", "size=12k", "size=20k"])
  func aFullFileSystemIsNoHarm(options: String) throws {
    let spool = try Spool()
    let script = """
      mount -t tmpfs -o \(options) none "$FIRSTLIGHT_DIR" && exec "$0" none /proc
      """
    let result = try Fixture.runtime("failing").run(
      before: ["unshare", "-m", "sh", "-c", script], into: spool)
    #expect(result.output == "ran\n")
    #expect(result.status == 5 && !result.signalled)
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.errors.hasPrefix("firstlight: "))
  }

  static let isRoot = geteuid() == 0

  @Test(.enabled(if: isRoot, "changes its root, so needs root"))
  func aProcessWithAnotherRootIsLeftAlone() throws {
    let program = try Fixture.c(
      """
      #define _DEFAULT_SOURCE
      #include <sys/wait.h>
      #include <unistd.h>
      void in_child(void) {}
      int main(int count, char **arguments) {
        if (fork() == 0) {
          if (count < 2 || chroot(arguments[1]) != 0) _exit(9);
          in_child();
          _exit(0);
        }
        int status = 0;
        wait(&status);
        return status != 0;
      }
      """, options: ["-O0"])
    let spool = try Spool()
    let root = try TemporaryDirectory()
    let result = try program.run([root.url.path], into: spool)
    #expect(result.status == 0 && !result.signalled)
    #expect(result.errors == "")
    #expect(root.entries == [])
    #expect(try spool.traces().map(\.names) == [["main"]])
    #expect(try spool.lostImages() == 1)
    // A program that could confine itself has its child's files made before the child moves.
    try confined("chroot", isLost: false)
  }

  @Test(.onlyNative(RuntimeConfinementTests.noSeccomp))
  func aProcessThatMustNotOpenFilesOpensNone() throws {
    try confined("seccomp", isLost: true)
    // Its files were made within fork().
    try confined("seccomp-child", isLost: false)
  }

  private func confined(_ way: String, isLost: Bool) throws {
    let spool = try Spool()
    let root = try TemporaryDirectory()
    let result = try Fixture.runtime("confined").run(
      [way, root.url.path], into: spool)
    #expect(result.status == 0 && !result.signalled)
    #expect(result.errors == "")
    #expect(root.entries == [])
    #expect(
      try spool.traces().map(\.names)
        == [["main", "before", "after"]] + (isLost ? [] : [["in_child"]]))
    #expect(try spool.lostImages() == (isLost ? 1 : 0))
  }

  @Test(.enabled(if: isRoot, "makes a file that runs as root, so needs root"))
  func aProgramWithMoreRightsThanItsCallerTakesNoOrders() throws {
    let program = try Fixture.c(
      """
      #include <stdio.h>
      #include <sys/auxv.h>
      int main(void) { printf("%lu\\n", getauxval(AT_SECURE)); return 0; }
      """)
    let spool = try Spool()
    for path in [program.directory.url.path, spool.directory.url.path] {
      try Command.check(["chmod", "777", path])
    }
    try Command.check(["chmod", "4755", program.executable])
    for directory in [spool.directory.url.path, "no/such/directory", "/nowhere"] {
      let result = try program.run(
        before: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
        environment: ["FIRSTLIGHT_DIR": directory])
      #expect(result.output == "1\n")
      #expect(result.errors == "")
    }
    #expect(spool.directory.entries == [])
  }
}
