import FirstlightModel
import Testing

@testable import Startup

@Suite struct StopCostsTests {
  /// A static program: the exec lasts until 100, the initializers until `main`.
  ///
  /// - Parameter stops: within the initializers, each of which costs 10 beyond the time in which the thread is held.
  private func start(stops: Int, thread: UInt32 = 1, execCost: UInt64 = 0) -> LaunchEvents {
    func moment(_ time: UInt64) -> LaunchEvents.Moment { .init(time: time, faults: .init()) }
    let (begin, most) = (100 + execCost, UInt64(stops))
    var list = [LaunchClock.Stop(thread: 1, seen: begin, resumed: begin)]
    list += (1...most).map {
      LaunchClock.Stop(thread: thread, seen: begin + 15 * $0, resumed: begin + 15 * $0)
    }
    let main = begin + 200 + 10 * most
    list.append(LaunchClock.Stop(thread: 1, seen: main, resumed: main))
    return LaunchEvents(
      clock: LaunchClock(stops: list, mainThread: 1, requested: 0), mainThread: 1, requested: 0,
      executed: moment(begin), program: "/p", programRange: 0..<1, hasLoader: false, loader: "",
      librariesTold: [], systemCalls: [],
      visits: [
        .init(
          landmark: .main, image: "/p", address: 0, thread: 1, entry: moment(main), exit: nil)
      ], end: moment(main + 500))
  }

  /// The main thread waits for others, which the tracer stops.
  @Test(arguments: [1, 2]) func whatMoreStopsCostIsTakenOffEachStage(thread: UInt32) {
    let (few, many) = (start(stops: 1, thread: thread), start(stops: 9, thread: thread))
    #expect(few.stageLengths.map(\.length) == [100, 210, 500])
    let costs = StopCosts(few: [few], many: [many], untraced: nil)
    let (start, tracing) = costs.subtracted(from: few)
    // The stop at its beginning is one of the stage's.
    #expect(start.stageLengths.map(\.length) == [100, 190, 500])
    #expect(tracing == 20)
  }

  /// Both kinds of starts stop once at exec.
  @Test func theRestIsTheExecs() {
    let (few, many) = (start(stops: 1, execCost: 60), start(stops: 9, execCost: 60))
    let costs = StopCosts(few: [few], many: [many], untraced: 780)
    let (start, tracing) = costs.subtracted(from: few)
    #expect(start.duration == 780)
    #expect(tracing == 90)
    #expect(start.stageLengths.last?.length == 500)
  }

  @Test func aStartIsNotShorterThanAnUntracedOne() {
    let (few, many) = (start(stops: 1), start(stops: 9))
    let costs = StopCosts(few: [few], many: [many], untraced: 805)
    #expect(costs.subtracted(from: few).tracing == 5)
  }

  @Test func untracedStartsThatTakeLongerShowNoCost() {
    let (few, many) = (start(stops: 1), start(stops: 1))
    let costs = StopCosts(few: [few], many: [many], untraced: 5000)
    #expect(costs.subtracted(from: few).tracing == 0)
  }
}
