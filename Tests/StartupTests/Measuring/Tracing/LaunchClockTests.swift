import FirstlightModel
import Testing

@testable import Startup

@Suite struct LaunchClockTests {
  /// The main thread 1 is held for 100 from 100, and for 500 from 300; it makes thread 2, which is held for 50.
  private let clock = LaunchClock(
    stops: [
      .init(thread: 1, created: 2, seen: 100, resumed: 200),
      .init(thread: 1, seen: 300, resumed: 800),
      .init(thread: 2, seen: 600, resumed: 650),
    ], mainThread: 1, requested: 0)

  @Test func aThreadsTimeStandsStillWhileItIsHeld() {
    #expect(
      [0, 100, 150, 200, 300, 500, 900].map { clock.time($0) } == [0, 100, 100, 100, 200, 200, 300])
    #expect([100, 600, 630, 700].map { clock.time($0, thread: 2) } == [100, 600, 600, 650])
    #expect(clock.stopCount(301, thread: 1) == 2)
    // A thread without stops has the main thread's time.
    #expect(clock.time(900, thread: 3) == 300)
  }

  @Test func eachThreadsTimeIsScaledToTheStageByOneFactor() {
    let scaled = clock.scaled(to: [.init(time: 300, own: 50), .init(time: 1000, own: 150)])
    // The main thread runs for 200, and for 200 more: both stages have half of it.
    #expect([0, 100, 300, 900, 1000].map { scaled.time($0) } == [0, 25, 50, 100, 150])
    // The other begins in the first stage, and its time ends with the stages' too.
    #expect([100, 300, 1000].map { scaled.time($0, thread: 2) } == [25, 50, 150])
    #expect(scaled.time(1100) == 250)
  }

  @Test func stagesGetTheLengthsOfOtherStarts() {
    func moment(_ time: UInt64) -> LaunchEvents.Moment { .init(time: time, faults: .init()) }
    let events = LaunchEvents(
      clock: clock, mainThread: 1, requested: 0, executed: moment(100), program: "/p",
      programRange: 0..<1, hasLoader: false, loader: "", librariesTold: [], systemCalls: [],
      visits: [
        .init(
          landmark: .main, image: "/p", address: 0, thread: 1, entry: moment(300), exit: nil)
      ], end: moment(1000))
    #expect(events.stageLengths.map(\.length) == [100, 100, 200])
    let (scaled, scale) = events.scaled(to: [.exec: 10, .main: 400])
    #expect(scaled.stageLengths.map(\.length) == [10, 100, 400])
    #expect(scale == 2)
  }
}
