import Foundation
import TestSupport
import Testing

/// Programs in sandboxes, and such as confine themselves: none comes to harm, and what is not recorded
/// is counted.
@Suite(.tags(.compiler)) struct RuntimeConfinementTests {
  static let noSeccomp = "qemu's user mode has no seccomp"

  @Test(.onlyNative(noSeccomp), arguments: ["any", "docker", "service"])
  func workersAreRecordedUnderAFilterOfTheStart(profile: String) throws {
    let sandbox = try Fixture.c(Fixture.runtimeSource("sandbox"), flags: [])
    try withExtendedLifetime(sandbox) {
      let spool = try Spool()
      let result = try Fixture.runtime("family").run(
        ["prefork"], before: [sandbox.executable, profile], into: spool)
      #expect(result.status == 0 && !result.signalled)
      #expect(result.errors == "")
      let traces = try spool.traces()
      #expect(traces.count == 17)
      #expect(
        Set(traces.filter { $0.forkedFrom != nil }.flatMap(\.names))
          == Set((0..<16).map { "worker\($0)" }))
      #expect(try spool.lostImages() == 0)

      let marked = try Spool()
      try #require(
        Fixture.runtime("marked").run(
          ["fork"], before: [sandbox.executable, profile], into: marked
        )
        .status == 0)
      #expect(
        try RuntimeMarksTests.Mark.all(of: marked.profile(), forked: true).map(\.name)
          == ["in child"])
    }
  }

  /// The filter answers nearly every system call with death.
  @Test(.onlyNative(noSeccomp), arguments: ["thread", "child"])
  func firstCallsAndMarksMakeNoSystemCall(way: String) throws {
    let spool = try Spool()
    let result = try Fixture.runtime("strict").run([way], into: spool)
    #expect(result.status == 0 && !result.signalled)
    let names = try spool.traces().map(\.names)
    #expect(
      names
        == (way == "thread"
          ? [["main", "before", "run", "confined"]] : [["main", "before"], ["confined"]]))
    let marks = try Command.check(["sqlite3", spool.profile(), "SELECT name FROM mark"])
    #expect(marks == "confined\n")
    #expect(try spool.lostImages() == 0)
  }

  /// Nothing tells whether a child by clone without libc is confined by now, so it is left alone.
  @Test(.onlyNative(noSeccomp)) func aConfinedChildThatIsNotRecordedIsALoss() throws {
    let spool = try Spool()
    let result = try Fixture.runtime("strict").run(["clone"], into: spool)
    #expect(result.status == 0 && !result.signalled)
    #expect(try spool.traces().map(\.names) == [["main", "before"]])
    #expect(try spool.lostImages() == 1)
    let profile = try spool.profile()
    let info = try Command.check([Toolchain.firstlight, "info", profile])
    #expect(info.contains("a forked process was not recorded"))
    let dead = try Command.run([Toolchain.firstlight, "dead", "--strict", profile])
    #expect(dead.status != 0)
    #expect(try Command.run([Toolchain.firstlight, "dead", profile]).status == 3)
  }

  /// A program that could confine itself has its children's files made within fork().
  @Test func aChildThatOnlyExecsLeavesNoTrace() throws {
    let program = try Fixture.c(
      """
      #include <sys/prctl.h>
      #include <sys/wait.h>
      #include <unistd.h>
      int main(void) {
        prctl(PR_SET_NAME, "parent");
        if (fork() == 0) execl("/bin/true", "true", (char *)0);
        return wait(0) < 0;
      }
      """)
    let spool = try Spool()
    try program.check(into: spool)
    #expect(try spool.traces().map(\.names) == [["main"]])
  }

  static let isRoot = geteuid() == 0

  @Test(
    .enabled(if: isRoot, "makes pid namespaces, so needs root"),
    .onlyNative("qemu's user mode makes no pid namespaces"))
  func sandboxesOfOnePidAreProcessesOfTheirOwn() throws {
    let spool = try Spool()
    try Fixture.runtime("namespaces").check(into: spool)
    let traces = try spool.traces()
    #expect(traces.count == 5)
    #expect(
      Set(traces.filter { $0.forkedFrom != nil }.map(\.names))
        == Set((0..<4).map { ["worker\($0)"] }))
    #expect(spool.directory.entries.count { $0.hasSuffix(".process") } == 5)
  }

  @Test(
    .enabled(if: isRoot, "gives up rights, so needs them"),
    .onlyNative(
      "qemu's user mode maps no pages a second time, as images that share a process file do"),
    arguments: [true, false])
  func aLibraryThatComesAfterRightsAreGoneIsALoss(mayWrite: Bool) throws {
    let host = try Fixture.runtime("loader")
    let library = try Fixture.library("void entry(void) {}")
    let spool = try Spool()
    for path in [host.directory.url.path, library.directory.url.path] {
      try Command.check(["chmod", "755", path])
    }
    try Command.check(["chmod", mayWrite ? "1777" : "700", spool.directory.url.path])
    try withExtendedLifetime(library) {
      let result = try host.run(
        ["unprivileged", library.executable, spool.directory.url.path], into: spool)
      #expect(result.status == 0 && !result.signalled, "\(result.errors)")
      #expect(try spool.traces().count == 1)
      #expect(try spool.lostImages() == 1)
    }
  }
}
