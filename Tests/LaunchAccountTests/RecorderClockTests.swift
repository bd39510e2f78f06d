import LaunchAccount
import Testing

/// The program's own time is what is left when the tracer's share is taken off.
@Suite struct RecorderClockTests {
  private let cost = RecorderClock.StopCost(before: 10, after: 20)

  private func stop(_ thread: UInt32, _ seen: UInt64, _ resumed: UInt64, created: UInt32 = 0)
    -> RecorderClock.Stop
  {
    RecorderClock.Stop(thread: thread, created: created, seen: seen, resumed: resumed)
  }

  @Test func eachStopIsTakenOffWhatComesAfterIt() {
    let clock = RecorderClock(
      stops: [stop(1, 1010, 1100), stop(1, 1220, 1300)], cost: cost, mainThread: 1)
    #expect(clock.time(500) == 500)
    #expect(clock.time(1010) == 1000)
    // 90 within the stop, 30 around it, 100 of its own in between.
    #expect(clock.time(1220) == 1090)
    #expect(clock.time(2000) == 2000 - 120 - 110)
    #expect(clock.costOfMainThread == 230)
    #expect(clock.stopCount == 2)
  }

  @Test func timeStandsStillWithinAStop() {
    let clock = RecorderClock(stops: [stop(1, 1010, 1100)], cost: cost, mainThread: 1)
    #expect(clock.time(1050) == clock.time(1010))
    #expect(clock.time(1100) == clock.time(1010))
  }

  @Test func theClockNeverGoesBack() {
    // Stops that come sooner than the constant allows for.
    let stops = (0..<20).map { stop(1, 1000 + UInt64($0) * 15, 1005 + UInt64($0) * 15) }
    let clock = RecorderClock(stops: stops, cost: cost, mainThread: 1)
    var last: UInt64 = 0
    for time in UInt64(900)...2500 {
      let own = clock.time(time)
      #expect(own >= last)
      last = own
    }
  }

  @Test func aNewThreadHasItsCreatorsClock() {
    let clock = RecorderClock(
      stops: [stop(1, 1010, 1100, created: 2), stop(2, 1210, 1220)], cost: cost, mainThread: 1)
    #expect(clock.time(1210, thread: 2) == 1080)
  }

  @Test func aCostPutTooHighStopsTheClockForOneStopAtMost() {
    // 100 stops that cost 5 each, with 10 of the program's own time between them.
    let stops = (0..<100).map { stop(1, 1000 + UInt64($0) * 15, 1005 + UInt64($0) * 15) }
    let clock = RecorderClock(stops: stops, cost: cost, mainThread: 1)
    let last = clock.time(1000 + 99 * 15)
    #expect(clock.time(1000 + 99 * 15 + 5 + 1000) - last >= 1000 - 2 * 30)
  }
}
