import Foundation
import TestSupport
import Testing

/// What a program says of itself, recorded by guards, by breakpoints and by nobody.
@Suite(.tags(.compiler)) struct RuntimeMarksTests {
  /// A row of the table of marks.
  struct Mark: Equatable {
    var kind: String
    var name: String
    var hasEnded = false

    static func all(of profile: String, forked: Bool = false) throws -> [Mark] {
      try Command.check([
        "sqlite3", "-separator", "\t", profile,
        """
        SELECT mark.kind, mark.name, mark.duration > 0 FROM mark JOIN process
          ON process.run = mark.run AND process.id = mark.process
          WHERE (process.forked_from IS NOT NULL) = \(forked ? 1 : 0) ORDER BY mark.time, mark.id
        """,
      ]).split(separator: "\n").map {
        let cells = $0.split(separator: "\t", omittingEmptySubsequences: false)
        return Mark(kind: String(cells[0]), name: String(cells[1]), hasEnded: cells[2] == "1")
      }
    }
  }

  private static let usual = [
    Mark(kind: "mark", name: "config loaded"), Mark(kind: "span", name: "outer", hasEnded: true),
    Mark(kind: "span", name: "inner", hasEnded: true),
  ]

  /// The program with guards or without any.
  private static func build(guarded: Bool) throws -> Fixture {
    try Fixture.runtime("marked", guarded: guarded)
  }

  struct Case: Sendable {
    var way: String
    var names: [String] = []
  }

  @Test(
    arguments: [
      Case(way: "none"), Case(way: "pause", names: ["after pause"]),
      Case(way: "signal", names: ["in handler"]), Case(way: "ready"),
    ], [true, false])
  func marksAreRecorded(this: Case, guarded: Bool) throws {
    let spool = try Spool()
    let output = try Self.build(guarded: guarded).check([this.way], into: spool)
    #expect(output == "1\n")
    let marks = try Mark.all(of: spool.profile())
    #expect(marks == Self.usual + this.names.map { Mark(kind: "mark", name: $0) })
  }

  @Test(arguments: [[], ["mark"]])
  func readinessIsThatOfTheProcessThatReportsIt(way: [String]) throws {
    let spool = try Spool()
    let child = try Fixture.runtime("readied", guarded: false).check(way, into: spool)
    let ready = spool.directory.entries.filter { $0.hasSuffix(".ready") }
    #expect(ready.map { $0.prefix { $0 != "-" } + "\n" } == [child[...]])
    let traces = try spool.traces()
    #expect(traces.count == 2)
  }

  @Test(arguments: [true, false])
  func marksSurviveSIGKILL(guarded: Bool) throws {
    let spool = try Spool()
    let result = try Self.build(guarded: guarded).run(["kill"], into: spool)
    #expect(result.signalled)
    var expected = Self.usual
    expected[1].hasEnded = false
    #expect(try Mark.all(of: spool.profile()) == expected)
  }

  @Test(arguments: [true, false])
  func manyThreadsMarkAtOnce(guarded: Bool) throws {
    let spool = try Spool()
    try Self.build(guarded: guarded).check(["threads"], into: spool)
    let names = try Mark.all(of: spool.profile()).map(\.name).filter { $0.contains(":") }
    #expect(Set(names) == Set((0..<8).flatMap { thread in (0..<500).map { "\(thread):\($0)" } }))
    #expect(names.count == 4000)
    // Each thread's own are in order.
    for thread in 0..<8 {
      let own = names.filter { $0.hasPrefix("\(thread):") }
      #expect(own == (0..<500).map { "\(thread):\($0)" })
    }
  }

  @Test(arguments: [true, false])
  func aForkedChildMarksForItself(guarded: Bool) throws {
    let spool = try Spool()
    try Self.build(guarded: guarded).check(["fork"], into: spool)
    let profile = try spool.profile()
    #expect(try Mark.all(of: profile) == Self.usual)
    #expect(try Mark.all(of: profile, forked: true) == [Mark(kind: "mark", name: "in child")])
  }

  @Test func overflowIsCounted() throws {
    let spool = try Spool()
    let program = try Self.build(guarded: true)
    try program.check(["full"], into: spool)
    let profile = try spool.profile()
    #expect(try Mark.all(of: profile).count == 8192)
    let info = try Command.check([Toolchain.firstlight, "info", profile])
    #expect(info.contains("811 marks are missing"))  // 9,003 in all
    #expect(info.contains("8190 marks, 2 spans") || info.contains("8,190 marks, 2 spans"))
    #expect(info.contains("Losses: none"))
  }

  @Test func aLongNameIsCut() throws {
    let spool = try Spool()
    try Self.build(guarded: true).check(["long"], into: spool)
    let names = try Mark.all(of: spool.profile()).map(\.name).filter { $0.hasPrefix("x") }
    // 252 KiB of names less the three usual ones.
    #expect(names.count == (258_048 - 23) / 1024)
    #expect(names.allSatisfy { $0 == String(repeating: "x", count: 1024) })
  }

  @Test func aProgramThatStartsItsOwnRecordingMarksFromThenOn() throws {
    let spool = try Spool()
    let program = try Self.build(guarded: true)
    spool.keep(program.directory)
    let result = try program.run(["start", spool.directory.url.path])
    #expect(result.output == "1\n")
    #expect(try Mark.all(of: spool.profile()) == Self.usual)
  }

  @Test(arguments: [true, false])
  func aFileThatIsCutShortIsNoHarm(guarded: Bool) throws {
    let spool = try Spool()
    let result = try Self.build(guarded: guarded).run(
      ["cut", spool.directory.url.path], into: spool)
    #expect(result.status == 0 && !result.signalled)
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test(arguments: [true, false])
  func withoutADirectoryNothingIsMade(guarded: Bool) throws {
    let result = try Self.build(guarded: guarded).run(["none"])
    #expect(result.status == 0)
    #expect(result.output == "0\n")
    #expect(result.errors == "")
  }

  @Test func aProgramThatNeverMarksMakesNoFileForIt() throws {
    let spool = try Spool()
    try Fixture.c("int main(void) { return 0; }").check(into: spool)
    #expect(!spool.directory.entries.contains { $0.hasSuffix(".marks") })
    #expect(spool.directory.entries.contains { $0.hasSuffix(".segment") })
  }

  /// The breakpoint recorder and the program itself tell of one process.
  @Test(.onlyNative("breakpoints would be the emulator's")) func breakpointsRecordMarksToo() throws
  {
    let program = try Self.build(guarded: false)
    let profile = program.directory.path("p.flp")
    try Command.check([
      Toolchain.firstlight, "record", "--no-rebuild", "-o", profile, "--", program.executable,
      "none",
    ])
    #expect(try Mark.all(of: profile) == Self.usual)
    let calls = try Command.check(["sqlite3", profile, "SELECT sum(calls) > 0 FROM process"])
    #expect(calls == "1\n")
  }

  /// The account has them on the program's own clock: within the start, and in order.
  @Test(.onlyNative("breakpoints would be the emulator's")) func launchTellsOfMarks() throws {
    let program = try Self.build(guarded: false)
    let account = try program.launch(["--runs", "1"], ["none"])
    #expect(
      account.marks.map { Mark(kind: $0.isSpan ? "span" : "mark", name: $0.name) }
        == Self.usual.map { Mark(kind: $0.kind, name: $0.name) })
    let main = try account.call("main")
    #expect(account.marks.map(\.time) == account.marks.map(\.time).sorted())
    #expect(try #require(account.marks.first).time >= main.time)
    let text = try Command.check(
      [Toolchain.firstlight, "launch", "--runs", "1", "--", program.executable, "none"])
    #expect(text.contains("Marks and spans"))
  }
}
