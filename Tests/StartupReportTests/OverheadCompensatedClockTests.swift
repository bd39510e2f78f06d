import StartupReport
import Testing

/// The program's own time is what is left when the tracer's share is taken off.
@Suite struct OverheadCompensatedClockTests {
  private let cost = OverheadCompensatedClock.Costs(
    apart: OverheadCompensatedClock.StopCost(before: 10, after: 20, running: 25),
    beside: OverheadCompensatedClock.StopCost(before: 4, after: 4, running: 5))

  private func stop(
    _ thread: UInt32, _ seen: UInt64, _ resumed: UInt64, created: UInt32 = 0, ran: UInt64? = nil,
    sharesTracerCPU: Bool = false
  ) -> OverheadCompensatedClock.Stop {
    OverheadCompensatedClock.Stop(
      thread: thread, created: created, seen: seen, resumed: resumed,
      share: ran.map { .init(ran: $0) },
      sharesTracerCPU: sharesTracerCPU)
  }

  @Test func eachStopIsTakenOffWhatComesAfterIt() {
    let clock = OverheadCompensatedClock(
      stops: [stop(1, 1010, 1100), stop(1, 1220, 1300)], cost: cost, mainThread: 1, requested: 0)
    #expect(clock.time(500) == 500)
    #expect(clock.time(1010) == 1000)
    // 90 within the stop, 30 around it, 100 of its own in between.
    #expect(clock.time(1220) == 1090)
    #expect(clock.time(2000) == 2000 - 120 - 110)
    #expect(clock.costOfMainThread == 230)
    #expect(clock.stopCount == 2)
  }

  @Test func whereTheSchedulerCountedItsCountIsTaken() {
    let clock = OverheadCompensatedClock(
      stops: [
        // Seen late, and again very late: what it ran is known.
        stop(1, 1510, 1600, ran: 1025), stop(1, 9000, 9100, ran: 125),
        stop(1, 9500, 9600, ran: 55, sharesTracerCPU: true), stop(1, 9730, 9800),
      ], cost: cost, mainThread: 1, requested: 0)
    #expect(clock.time(1510) == 1000)
    #expect(clock.time(9000) == 1100)
    #expect(clock.time(9500) == 1150)
    // It slept: between sights, less what goes before and after.
    #expect(clock.time(9730) == 1150 + 130 - 4 - 10)
    // In between, as far as it can have come.
    #expect(clock.time(1700) == 1080)
    #expect(clock.time(8000) == 1100)
  }

  @Test func stopsThatCostMoreTakeMoreOff() {
    let clock = OverheadCompensatedClock(
      stops: [stop(1, 1010, 1100), stop(1, 1220, 1300, ran: 110)], cost: cost, mainThread: 1,
      requested: 0)
    #expect(clock.time(1220) == 1000 + 85)
    #expect(clock.scaled(by: 2).time(1220) == 990 + 60)
  }

  @Test func timeStandsStillWithinAStop() {
    let clock = OverheadCompensatedClock(
      stops: [stop(1, 1010, 1100)], cost: cost, mainThread: 1, requested: 0)
    #expect(clock.time(1050) == clock.time(1010))
    #expect(clock.time(1100) == clock.time(1010))
  }

  @Test func theClockNeverGoesBack() {
    // Stops that come sooner than the constant allows for.
    let stops = (0..<20).map { stop(1, 1000 + UInt64($0) * 15, 1005 + UInt64($0) * 15) }
    let clock = OverheadCompensatedClock(stops: stops, cost: cost, mainThread: 1, requested: 0)
    var last: UInt64 = 0
    for time in UInt64(900)...2500 {
      let own = clock.time(time)
      #expect(own >= last)
      last = own
    }
  }

  @Test func aNewThreadHasItsCreatorsClock() {
    let clock = OverheadCompensatedClock(
      stops: [stop(1, 1010, 1100, created: 2), stop(2, 1210, 1220)], cost: cost, mainThread: 1,
      requested: 0)
    #expect(clock.time(1210, thread: 2) == 1000)
  }

  @Test func aCostPutTooHighStopsTheClockForOneStopAtMost() {
    // 100 stops that cost 5 each, with 10 of the program's own time between them.
    let stops = (0..<100).map { stop(1, 1000 + UInt64($0) * 15, 1005 + UInt64($0) * 15) }
    let clock = OverheadCompensatedClock(stops: stops, cost: cost, mainThread: 1, requested: 0)
    let last = clock.time(1000 + 99 * 15)
    #expect(clock.time(1000 + 99 * 15 + 5 + 1000) - last >= 1000 - 2 * 30)
  }
}
