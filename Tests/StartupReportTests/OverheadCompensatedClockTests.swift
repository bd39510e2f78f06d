import StartupReport
import Testing

/// The program's own time is what is left when the tracer's share is taken off.
@Suite struct OverheadCompensatedClockTests {
  private typealias Stop = OverheadCompensatedClock.Stop

  private func stop(
    _ thread: UInt32, _ seen: UInt64, _ resumed: UInt64, created: UInt32 = 0, ran: UInt64? = nil,
    isWhole: Bool = true, isSystemCall: Bool = false
  ) -> Stop {
    Stop(
      thread: thread, created: created, seen: seen, resumed: resumed, isSystemCall: isSystemCall,
      share: ran.map { .init(ran: $0, isWhole: isWhole) })
  }

  private func clock(_ stops: [Stop]) -> OverheadCompensatedClock {
    OverheadCompensatedClock(stops: stops, mainThread: 1, requested: 0)
  }

  @Test func timeStandsStillWithinAStop() {
    let clock = clock([stop(1, 1010, 1100), stop(1, 1220, 1300)])
    #expect(clock.time(500) == 500)
    #expect([1010, 1050, 1100].map { clock.time($0) } == [1010, 1010, 1010])
    #expect(clock.time(1220) == 1130)
    #expect(clock.time(2000) == 1830)
    #expect(clock.stopCount(1220, thread: 1) - clock.stopCount(1010, thread: 1) == 1)
  }

  @Test func howLateTheTracerSeesAStopDoesNotMatter() {
    // It ran all the time; the second time it slept.
    let clock = clock([
      stop(1, 1510, 1600, ran: 1000), stop(1, 9000, 9100, ran: 100),
      stop(1, 9900, 9950, ran: 200, isWhole: false),
    ])
    #expect(clock.time(1510) == 1000)
    #expect(clock.time(9000) == 1100)
    #expect(clock.time(9900) == 1100 + 800)
    #expect(clock.cpuTime(9900, thread: 1) == 1300)
  }

  @Test func aNewThreadHasItsCreatorsClock() {
    let clock = clock([stop(1, 1010, 1100, created: 2), stop(2, 1210, 1220)])
    #expect(clock.time(1210, thread: 2) == 1010 + 110)
    #expect(clock.time(1010, thread: 2) == 1010)
  }

  /// 40 stretches of 1000 ns and 40 of next to nothing, each followed by a stop of so many nanoseconds.
  private func alternating(cost: UInt64, held: UInt64 = 5000) -> [Stop] {
    var now: UInt64 = 0
    return (0..<80).map { index in
      let ran = (index % 2 == 0 ? 1000 : 1) + cost
      now += ran
      defer { now += held }
      return stop(1, now, now + held, ran: ran)
    }
  }

  @Test(arguments: [500, 40_000] as [UInt64])
  func whatAStopCostsShowsInTheShortestStretches(cost: UInt64) {
    let stops = alternating(cost: cost)
    let end = stops.last!.seen
    let raw = clock(stops)
    let fit = ClockFit(raw, [(end, ClockFit.Measured(duration: 40_040, cpuTime: 40_040))])
    let fitted = raw.fitted(to: fit.parts)
    // A function of 1 ns is not made longer, one of 1000 ns not shorter, whatever stops cost.
    let long = fitted.time(stops[2].seen) - fitted.time(stops[1].seen)
    let short = fitted.time(stops[3].seen) - fitted.time(stops[2].seen)
    #expect((990...1010).contains(long), "\(long)")
    #expect(short <= 10, "\(short)")
    #expect((cost...cost + 2).contains(fit.accuracy.stopError))
  }

  @Test func eachStageIsAsLongAsItWasMeasured() {
    let stops = alternating(cost: 500)
    let (middle, end) = (stops[39].seen, stops[79].seen)
    let raw = clock(stops)
    let measured = [15_000.0, 60_000].map { ClockFit.Measured(duration: $0, cpuTime: $0) }
    let fit = ClockFit(raw, [(middle, measured[0]), (end, measured[1])])
    let fitted = raw.fitted(to: fit.parts)
    #expect((14_998...15_001).contains(fitted.time(middle)))
    #expect((74_996...75_001).contains(fitted.time(end)))
    // CPU time is not made up.
    #expect(fitted.cpuTime(end, thread: 1)! <= 15_000 + 20_100)
    var last: UInt64 = 0
    for time in stride(from: 0, through: end + 1000, by: 37) {
      #expect(fitted.time(time) >= last)
      last = fitted.time(time)
    }
  }

  @Test func waitsGetShorterAndNeverLonger() {
    // The main thread runs 1000 and waits 9000 for a thread that the tracer has held.
    let stops = [
      stop(1, 1000, 1000, created: 2, ran: 1000), stop(2, 1000, 1000),
      stop(2, 4000, 9000, ran: 2000, isWhole: false),
      stop(1, 10_000, 10_000, ran: 0, isWhole: false),
    ]
    let raw = clock(stops)
    func fitted(_ duration: Double) -> OverheadCompensatedClock {
      raw.fitted(
        to: ClockFit(
          raw, [(10_000, ClockFit.Measured(duration: duration, cpuTime: 3000))]
        ).parts)
    }
    #expect(fitted(4000).time(10_000) == 4000)
    #expect(fitted(4000).time(1000) == 1000)
    #expect(fitted(4000).cpuTime(4000, thread: 2) == 2000)
    // What another thread waits for ends when the main thread's time says so.
    #expect(fitted(4000).time(4000, thread: 2) == 1000 + 2000)
    // A sleep that is measured longer is not the only thing that took longer.
    #expect(fitted(20_000).time(1000) == 2000)
  }

  @Test func anUnknownStageKeepsItsTime() {
    let raw = clock([stop(1, 1000, 2000, ran: 1000), stop(1, 5000, 5000, ran: 1, isWhole: false)])
    let fitted = raw.fitted(to: ClockFit(raw, [(5000, nil)]).parts)
    #expect(fitted.time(5000) == 4000)
  }

  @Test(arguments: [(0.0, 0.0), (0, 5000), (5000, 0)])
  func factorsAreNumbersAboveZero(duration: Double, cpuTime: Double) {
    let raw = clock(alternating(cost: 500))
    let measured = ClockFit.Measured(duration: duration, cpuTime: cpuTime)
    let scale = ClockFit(raw, [(raw.stops.last!.seen, measured)]).accuracy.scale
    #expect(scale > 0 && scale.isFinite)
  }
}
