import Foundation
import TestSupport
import Testing

/// `firstlight merge` on profiles of real runs.
@Suite(.tags(.compiler)) struct MergeTests {
  private static let source = """
    void a(void) {} void b(void) {} void c(void) {}
    int main(int n, char **v) { (void)v; a(); if (n > 1) b(); if (n > 2) c(); return 0; }
    """

  @Test func theOrderOfProfilesLeavesNoMark() throws {
    let program = try Fixture.c(Self.source, options: ["-O0"])
    let profiles = try [
      program.record(), program.record("x"), program.record("x", "y"), program.record("z"),
    ]
    let first = program.directory.path("first.flp")
    let second = program.directory.path("second.flp")
    let part = program.directory.path("part.flp")
    let merge = [Toolchain.firstlight, "merge", "--max-traces", "2", "-o"]
    try Command.check(merge + [first] + profiles)
    try Command.check(merge + [part, profiles[3], profiles[1], profiles[3]])
    try Command.check(merge + [second, profiles[2], part, profiles[0], part])
    #expect(try Data(contentsOf: URL(filePath: first)) == Data(contentsOf: URL(filePath: second)))
    // Merging it into itself changes nothing.
    try Command.check(merge + [second, first, second])
    #expect(try Data(contentsOf: URL(filePath: first)) == Data(contentsOf: URL(filePath: second)))

    let runs = try Command.check([
      "sqlite3", first,
      "SELECT name, runs FROM coverage JOIN guarded USING (build, guard) ORDER BY name",
    ])
    #expect(runs == "a|4\nb|3\nc|1\nmain|4\n")
    let info = try Answer.info(first)
    #expect(info.runs.count == 4)
    #expect(info.processes.count { $0.traceLeftOut == true } == 2)
    #expect(info.processes.map(\.firstCalls).sorted() == [2, 3, 3, 4])
    #expect(try Answer.dead([first]).functions.isEmpty)
  }

  @Test func aWrongNumberOfTracesIsRefused() throws {
    let result = try Command.run([
      Toolchain.firstlight, "merge", "--max-traces", "0", "-o", "/nonexistent/x.flp", "a.flp",
    ])
    #expect(result.status == 64)
    #expect(result.errors.contains("--max-traces"))
  }
}
