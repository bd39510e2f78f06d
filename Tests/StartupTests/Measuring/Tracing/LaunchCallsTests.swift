import FirstlightModel
import FirstlightTracer
import TestSupport
import Testing

@testable import Startup

/// What a traced process's first calls are, from what the tracer has recorded of it.
@Suite struct LaunchCallsTests {
  /// The functions of the fixture `guards` by address, as nm has them; `_start` calls `sum`.
  private enum Function: UInt32 {
    case hook, hookInit, pcsInit, sum, start, constructor
  }

  /// The image 0 is the program, whose functions are watched; the image 1 is a library, whose are not.
  private let images: LaunchImages

  init() throws {
    images = LaunchImages(.details(libraries: []), watchesListen: false)
    var sites = fl_tracer_sites()
    for isProgram in [true, false] {
      let path = TracedProcess.fixture(isProgram ? "guards" : "plain")
      path.withCString { path in
        _ = images.choose(
          fl_tracer_file(
            path: path, link: path, is_program: isProgram, is_command: isProgram), &sites)
      }
    }
    try #require(images.entries.count == 2)
  }

  /// The calls of a process by a clock that takes off its stops.
  private func calls(
    _ process: TracedProcess, until end: UInt64 = .max, base: UInt64 = 0
  ) -> (calls: LaunchCalls, builds: LaunchBuilds) {
    process.with { record in
      var builds = LaunchBuilds(images.entries)
      let clock = LaunchClock(
        stops: LaunchEventReader.stops(record), mainThread: 100, requested: 0)
      let calls = LaunchCalls(record, builds: &builds, until: end, clock: clock, base: base)
      return (calls, builds)
    }
  }

  /// Its return came when the start-up was over.
  @Test func aCallIsCutAtTheEndOfTheStart() {
    var process = TracedProcess(images: [0])
    process.call(Function.start.rawValue, from: 1100, to: 1900)
    process.call(Function.sum.rawValue, from: 1200, to: 1500, in: 0)
    let (calls, _) = calls(process, until: 1600)
    #expect(calls.returns.map(\.duration) == [500, 300])
    #expect(calls.returns.map(\.ending) == [.running, .returned])
  }

  @Test func callsCountFromTheBaseAndKnowTheirFunctions() {
    var process = TracedProcess(images: [0])
    process.call(Function.start.rawValue, from: 1100, ending: FL_TRACER_RUNNING)
    process.call(Function.sum.rawValue, from: 1200, to: 1500, in: 0)
    let (calls, builds) = calls(process, base: 1000)
    #expect(calls.made.map(\.time) == [100, 200])
    #expect(calls.made.map(\.thread) == [100, 100])
    #expect(calls.made.map { builds.name(($0.build, $0.guardIndex)) } == ["_start", "sum"])
    #expect(calls.returns.map(\.duration) == [nil, 300])
    #expect(calls.returns.map(\.parent) == [-1, 0])
    #expect(builds.all.count == 1 && builds.all[0].guardCount == 6)
    process.with { #expect(builds.functionCount(of: $0) == 6) }
  }

  @Test(
    arguments: [
      (FL_TRACER_RETURNED, false, .returned), (FL_TRACER_RETURNED, true, .tailCall),
      (FL_TRACER_RUNNING, false, .running), (FL_TRACER_UNWOUND, false, .unwound),
      (FL_TRACER_UNSEEN, false, .unseen),
    ] as [(fl_tracer_ending, Bool, CallOutcome.Ending)])
  func endingsAreToldApart(
    ending: fl_tracer_ending, isTailCall: Bool, expected: CallOutcome.Ending
  ) {
    var process = TracedProcess(images: [0])
    process.call(
      Function.sum.rawValue, from: 10, to: 20, ending: ending, isTailCall: isTailCall)
    #expect(calls(process).calls.returns.map(\.ending) == [expected])
  }

  @Test func faultsAreThoseFromEntryToReturn() {
    var process = TracedProcess(images: [0])
    let before = fl_tracer_faults(minor: .max, major: 5)
    // The kernel's counter came round.
    let after = fl_tracer_faults(minor: 2, major: 9)
    process.call(Function.sum.rawValue, from: 10, to: 20, faults: (before, after))
    process.call(Function.start.rawValue, from: 30, faults: (before, after))
    let outcomes = calls(process).calls.returns
    #expect(outcomes.map(\.minorFaults) == [3, 0])
    #expect(outcomes.map(\.majorFaults) == [4, 0])
  }

  @Test func whatIsLeftOutHandsItsChildrenToItsParent() {
    var process = TracedProcess(images: [0, 1])
    process.call(Function.start.rawValue, from: 10)
    // A landmark that is no function of a build, and in it an image that nobody knows.
    process.call(0, of: 1, from: 20, in: 0)
    process.call(0, of: LaunchImages.foundMain, from: 30, in: 1)
    process.call(Function.sum.rawValue, from: 40, in: 2)
    process.call(Function.hook.rawValue, from: 50, in: 3)
    let (calls, builds) = calls(process)
    #expect(
      calls.made.map { builds.name(($0.build, $0.guardIndex)) } == [
        "_start", "sum", "__sanitizer_cov_trace_pc_guard",
      ])
    #expect(calls.returns.map(\.parent) == [-1, 0, 1])
  }

  @Test func callsAfterTheEndDoNotCount() {
    var process = TracedProcess(images: [0])
    process.call(Function.start.rawValue, from: 10)
    process.call(Function.sum.rawValue, from: 20)
    process.call(Function.hook.rawValue, from: 21, in: 1)
    #expect(calls(process, until: 20).calls.made.map(\.time) == [10, 20])
    #expect(calls(process, until: 9).calls.made.isEmpty)
  }

  /// The tracer had its hands full: the main thread was seen long after it had come there.
  @Test func callsAreInTheOrderOfTheProgramsOwnClock() {
    var process = TracedProcess(images: [0])
    process.stop(100, seen: 1000, resumed: 1000, created: 101)
    process.stop(101, seen: 1001, resumed: 1001)
    process.stop(101, seen: 1201, resumed: 9000)
    process.stop(100, seen: 1051, resumed: 9001)
    process.stop(101, seen: 9101, resumed: 9102)
    process.call(Function.sum.rawValue, thread: 101, from: 1201, ending: FL_TRACER_RUNNING)
    process.call(Function.start.rawValue, thread: 100, from: 1051, ending: FL_TRACER_RUNNING)
    process.call(Function.hook.rawValue, thread: 101, from: 9101, to: 9101, in: 0)
    let (calls, builds) = calls(process)
    #expect(
      calls.made.map { builds.name(($0.build, $0.guardIndex)) } == [
        "_start", "sum", "__sanitizer_cov_trace_pc_guard",
      ])
    #expect(calls.made.map(\.time) == calls.made.map(\.time).sorted())
    #expect(calls.returns.map(\.parent) == [-1, -1, 1])
  }
}
