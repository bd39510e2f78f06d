import FirstlightModel
import Foundation
import ProcessControl
import Recording
import TestSupport
import Testing

@Suite(.serialized) struct BreakpointRecorderTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func program(_ body: String) throws -> String {
    try directory.write(
      """
      #include <stdlib.h>
      __attribute__((noinline)) int second(int x) { return x + 1; }
      __attribute__((noinline)) int first(int x) { return second(x) * 2; }
      __attribute__((noinline)) int never(int x) { return x - 1; }
      int main(int argc, char **argv) { if (argc > 5) never(argc); first(argc); \(body) }
      """, to: "main.c")
    try Command.check(["clang", "-g", "-O0", "main.c", "-o", "program"], in: directory.url)
    return directory.path("program")
  }

  private func recorder(_ program: String) -> BreakpointRecorder {
    BreakpointRecorder(command: [program], until: .exit, timeout: 30)
  }

  private static var blockedSignals: [Int32] {
    var set = SignalMask.current.set
    return (1..<32).filter { sigismember(&set, $0) == 1 }
  }

  @Test func aProgramIsRecordedInOurOwnProcess() throws {
    let program = try program("return 0;")
    let log = try ProgramLog(directory.path("log"))
    let blocked = Self.blockedSignals
    let profile = try recorder(program).profile(log: log)
    let build = try #require(profile.builds.first)
    let called = zip(build.build.functions, build.build.entryGuards)
      .filter { build.coverage[Int($0.1)].isCalled }.map(\.0.name)
    #expect(Set(["main", "first", "second"]).isSubset(of: called))
    #expect(!called.contains("never"))
    // What blocked signals meanwhile has given them back.
    #expect(Self.blockedSignals == blocked)
  }

  @Test(arguments: [
    ("return 3;", "ended with exit status 3"), ("abort();", "was killed by signal 6 (Aborted)"),
  ])
  func aRunThatFailedIsNone(body: String, problem: String) throws {
    let program = try program(body)
    let log = try ProgramLog(directory.path("log"))
    let failure = #expect(throws: Failure.self) { try recorder(program).profile(log: log) }
    #expect(failure?.problem == "\(program) \(problem)")
  }

  @Test func aProgramThatIsNotThereIsToldAsSuch() throws {
    let log = try ProgramLog(directory.path("log"))
    let failure = #expect(throws: Failure.self) { try recorder("/no/such").profile(log: log) }
    #expect(failure?.kind == .notFound)
  }
}

@Suite struct ImageChoiceTests {
  @Test func patternsAreThoseOfShells() {
    #expect(Glob.matches("*.so", "/usr/lib/libc.so"))
    #expect(Glob.matches("lib?.so", "libc.so"))
    #expect(!Glob.matches("lib?.so", "libcc.so"))
  }

  @Test func aProfileWithoutImagesSaysSo() {
    let failure = #expect(throws: Failure.self) { try ImageChoice(glob: nil).index(in: Profile()) }
    #expect(failure?.problem == "the profile holds no image")
  }
}
