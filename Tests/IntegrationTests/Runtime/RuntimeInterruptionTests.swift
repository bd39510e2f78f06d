import Foundation
import TestSupport
import Testing

/// What interrupts a thread within the runtime, or takes it out of there, leaves no lock taken: the
/// other threads go on.
@Suite(.tags(.compiler)) struct RuntimeInterruptionTests {
  /// Ends a program that hangs, with its forked children.
  static let inTime = ["timeout", "-s", "KILL", "90"]

  /// The program itself has no cancellation point there.
  @Test(
    arguments: [
      "call", "computation", "mark", "ready", "start", "flush", "load", "cut",
    ])
  func aCancelledThreadIsNotCancelledWithin(way: String) throws {
    let program = try Fixture.runtime("cancelled", guarded: way != "load")
    let library = try Fixture.library("void entry(void) {}")
    let spool = try Spool()
    spool.keep(program.directory)
    try withExtendedLifetime(library) {
      let result = try program.run(
        [way, spool.directory.url.path, library.executable], before: Self.inTime,
        into: way == "start" ? nil : spool)
      #expect(result.status == 0 && !result.signalled)
      #expect(result.output == "ended\n")
      if way != "cut" { #expect(result.errors == "") }
    }
    if way == "call" {
      #expect(try spool.traces().map(\.names) == [[], ["first", "second"]])
    }
  }

  @Test(arguments: ["jump", "stop"])
  func aHandlerThatKeepsItsThreadKeepsNoOther(way: String) throws {
    for _ in 0..<Soak.count(1, soak: 10) { try leave(way, processes: 101) }
  }

  static let mayRunFirst =
    (try? Command.run(["chrt", "-f", "1", "true"]))?.status == 0

  @Test(.enabled(if: mayRunFirst, "sets a real-time priority, so needs the right to"))
  func aThreadThatNoOtherPreemptsDoesNotWaitActively() throws {
    try leave("real-time", processes: 101)
  }

  /// A call of the API holds the loader's lock, also where nothing is recorded. A child forked meanwhile
  /// would find it taken.
  @Test(arguments: ["pause", "start", "flush", "none"], [true, false])
  func aForkWaitsForCallsThatHoldTheLoadersLock(way: String, isRecorded: Bool) throws {
    let program = try Fixture.runtime("forks")
    for _ in 0..<Soak.count(1, soak: 20) {
      let spool = try Spool()
      let result = try program.run(
        [way, spool.directory.url.path], before: Self.inTime, into: isRecorded ? spool : nil)
      #expect(result.status == 0 && result.output == "ran\n", "\(result.errors)")
    }
  }

  /// A slow disk keeps neither the loader nor forks waiting.
  @Test func aFlushHoldsNoLockWhileItWrites() throws {
    let spool = try Spool()
    let output = try Fixture.runtime("flushing").check(into: spool)
    #expect(output == "child 0\nflushed 1\n")
    #expect(try spool.traces().map(\.names) == [[], ["in_child"]])
  }

  /// Their guards are met while the runtime creates files, or handles SIGBUS, by calling them. Under a
  /// filter of the start it reads a file more.
  @Test(arguments: ["call", "mark", "cut"], [true, false])
  func functionsWithGuardsMayReplaceThoseOfLibc(way: String, isFiltered: Bool) throws {
    let sandbox = try Fixture.c(Fixture.runtimeSource("sandbox"), flags: [])
    let program = try Fixture.runtime("replaced", options: ["-O0", "-fno-builtin", "-pthread"])
    let spool = try Spool()
    try withExtendedLifetime(sandbox) {
      let result = try program.run(
        [way, spool.directory.url.path],
        before: Self.inTime
          + (isFiltered && ProgramTarget.isNative ? [sandbox.executable, "any"] : []),
        into: spool)
      #expect(result.status == 0 && result.output == "ran\n", "\(result.errors)")
    }
    guard way != "cut" else { return }
    let child = try #require(try spool.traces().first { $0.forkedFrom != nil })
    #expect(Set(child.names).isSuperset(of: ["in_child", "open"]))
    #expect(try spool.lostImages() == 0)
  }

  /// The jump leaves a child without files: it is counted, and its other threads wait no longer.
  @Test(.onlyNative(RuntimeConfinementTests.noSeccomp))
  func aJumpOutOfARefusedSystemCallIsALoss() throws {
    let spool = try leave("trap", processes: 2)
    #expect(try spool.lostImages() == 1)
  }

  /// Its functions are recorded when they are called next.
  @Test(.onlyNative(RuntimeConfinementTests.noSeccomp))
  func aHandlerThatAnswersForTheKernelMayHaveGuards() throws {
    let spool = try leave("emulate", processes: 3)
    #expect(try spool.traces().last?.names == ["first", "in_handler"])
    #expect(try spool.lostImages() == 0)
  }

  @discardableResult
  private func leave(_ way: String, processes: Int) throws -> Spool {
    let spool = try Spool()
    let result = try Fixture.runtime("leaving").run([way], before: Self.inTime, into: spool)
    #expect(result.status == 0 && !result.signalled, "\(result.errors)")
    #expect(spool.directory.entries.count { $0.hasSuffix(".process") } == processes)
    return spool
  }
}
