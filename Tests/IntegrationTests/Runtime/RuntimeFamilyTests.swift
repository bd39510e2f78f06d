import Foundation
import TestSupport
import Testing

/// Each process's calls are its own, whichever way it came about.
@Suite(.tags(.compiler)) struct RuntimeFamilyTests {
  /// qemu's user mode wipes no page in a forked child, so that there only libc's fork is noticed.
  static let ways = ProgramTarget.isNative ? ["fork", "clone", "thread"] : ["fork", "thread"]

  @Test(arguments: ways)
  func aChildTellsOnlyWhatItsParentDidNot(way: String) throws {
    let spool = try Spool()
    try Fixture.runtime("family").check([way], into: spool)
    let traces = try spool.traces()
    let parent = try #require(traces.first { $0.forkedFrom == nil })
    let child = try #require(traces.first { $0.forkedFrom != nil })
    #expect(traces.count == 2)
    #expect(parent.names == ["main", "shared", "parent_after"])
    #expect(child.names == ["worker0"])
    #expect(child.forkedFrom == parent.pid)
  }

  @Test func sixteenWorkersHaveSixteenTraces() throws {
    let spool = try Spool()
    try Fixture.runtime("family").check(["prefork"], into: spool)
    let traces = try spool.traces()
    let parent = try #require(traces.first { $0.forkedFrom == nil })
    let workers = traces.filter { $0.forkedFrom == parent.pid }
    #expect(parent.names == ["main", "shared", "parent_after"])
    #expect(traces.count == 17 && workers.count == 16)
    #expect(workers.allSatisfy { $0.names.count == 1 })
    #expect(Set(workers.flatMap(\.names)) == Set((0..<16).map { "worker\($0)" }))
    for segment in try RawSegment.all(in: spool.directory) { #expect(segment.uncommitted == 0) }
  }

  @Test(.onlyNative("qemu's user mode makes a fork of vfork"))
  func aBorrowedMemoryIsLeftAsItWas() throws {
    let spool = try Spool()
    let output = try Fixture.runtime("borrowed").check(into: spool)
    let thread = try #require(UInt32(output.trimmingCharacters(in: .whitespacesAndNewlines)))
    let traces = try spool.traces().map(\.names)
    #expect(traces.count == 3)
    #expect(traces.contains(["main", "in_child", "after_child"]))
    #expect(traces.count { $0 == ["main", "spawned"] } == 2)
    // The child's call is told of the thread that lent its memory.
    let parent = try #require(
      RawSegment.all(in: spool.directory).first { $0.records.count == 3 })
    #expect(parent.records.map { $0.thread == thread } == [false, true, true])
  }

  /// A forked child's files are its own, although the vfork child needs them first and soon ends.
  @Test(.onlyNative("qemu's user mode makes a fork of vfork"), arguments: ["main", "thread"])
  func aVforkChildCreatesItsParentsFiles(way: String) throws {
    let spool = try Spool()
    let output = try Fixture.runtime("lent").check([way], into: spool)
    let pid = try #require(Int(output.trimmingCharacters(in: .whitespacesAndNewlines)))
    let traces = try spool.traces()
    #expect(traces.count == 2)
    let child = try #require(traces.first { $0.forkedFrom != nil })
    #expect(child.pid == pid)
    #expect(child.names == ["in_vfork_child", "after_child"])
    let marks = try RuntimeMarksTests.Mark.all(of: spool.profile(), forked: true)
    #expect(marks.map(\.name) == ["lent", "back"])
    let segment = try #require(RawSegment.all(in: spool.directory).last)
    #expect(Set(segment.records.map(\.thread)).count == 1)
  }

  static let canReusePids =
    (try? Command.run(["unshare", "-pf", "sh", "-c", "echo 9 > /proc/sys/kernel/ns_last_pid"]))?
    .status == 0

  @Test(
    .enabled(if: canReusePids, "needs a pid namespace, so root"),
    .onlyNative("threads of qemu's own take pids"))
  func twoProcessesOfOnePidAreTwoTraces() throws {
    let spool = try Spool()
    let script = """
      for way in fork clone; do echo 99 > /proc/sys/kernel/ns_last_pid; "$0" $way; done
      """
    let result = try Fixture.runtime("family").run(
      before: ["unshare", "-pf", "sh", "-c", script], into: spool)
    #expect(result.status == 0 && result.output == "" && result.errors == "")
    let traces = try spool.traces()
    #expect(traces.map(\.pid) == [100, 101, 100, 101])
    #expect(
      traces.map(\.names) == [
        ["main", "shared", "parent_after"], ["worker0"], ["main", "shared", "parent_after"],
        ["worker0"],
      ])
    #expect(traces.map(\.forkedFrom) == [nil, 100, nil, 100])
  }
}
