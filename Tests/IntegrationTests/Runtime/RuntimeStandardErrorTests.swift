import Foundation
import TestSupport
import Testing

/// The runtime's line goes to what standard error was at start, or nowhere.
@Suite(.tags(.compiler)) struct RuntimeStandardErrorTests {
  @Test func aDatabaseThatIsDescriptor2StaysWhatItIs() throws {
    let spool = try Spool()
    let files = try TemporaryDirectory()
    let output = try Fixture.runtime("unheard").check(
      ["database", files.path("database")], into: spool)
    #expect(output == "exit 0\n")
    #expect(try String(contentsOfFile: files.path("database"), encoding: .utf8) == "header\n")
    try expectNote(in: spool)
  }

  /// Neither SIGPIPE ends the child, nor does it wait for somebody to read.
  @Test(arguments: ["deaf-pipe", "full-pipe"])
  func aPipeThatNobodyReadsIsNoHarm(way: String) throws {
    let spool = try Spool()
    #expect(try Fixture.runtime("unheard").check([way], into: spool) == "exit 0\n")
    try expectNote(in: spool)
  }

  private func expectNote(in spool: Spool) throws {
    #expect(try spool.lostImages() == 1)
    let info = try Command.check([Toolchain.firstlight, "info", spool.profile()])
    #expect(info.contains("a forked process could not be recorded: Too many open files"))
  }
}
