import StartupReport
import Testing

/// What a thread waits for another ends when that would have come there without a tracer.
@Suite struct SeveralThreadsTests {
  @Test func aJoinEndsWhenTheAwaitedThreadWouldHaveEnded() {
    let stream = Self.joining()
    // 1 ms alone, then 6 times 0.1 ms of the thread beside it, then 5 and 50 µs of the main thread.
    let clock = stream.clock(processors: 2)
    #expect(clock.time(stream.seen("joined")) == 1_605_000)
    #expect(clock.time(stream.seen("end")) == 1_655_000)
    #expect(clock.time(stream.seen("second ends"), thread: 2) == 1_600_000)
    #expect(clock.explainedWaits == 1)
    #expect(clock.unexplained == 0)
    #expect(clock.sharedSince == 1_000_000)
  }

  @Test func onOneProcessorOneThreadRunsAfterTheOther() {
    let stream = Self.joining()
    // The main thread runs on for 20 µs before it waits.
    #expect(stream.clock(processors: 1).time(stream.seen("end")) == 1_675_000)
    var setting = OverheadCompensatedClock.Setting()
    setting.latency = .max
    #expect(stream.clock(processors: 2).set(setting).time(stream.seen("end")) == 1_675_000)
    setting.latency = 7000
    #expect(stream.clock(processors: 2).set(setting).time(stream.seen("end")) == 1_662_000)
  }

  @Test func processorTimeIsWhatEachThreadRan() {
    let stream = Self.joining()
    let clock = stream.clock(processors: 2)
    #expect(clock.cpuTime(stream.seen("end"), thread: 1) == 1_075_000)
    #expect(clock.cpuTime(stream.seen("second ends"), thread: 2) == 600_000)
    #expect(clock.cpuTime(stream.seen("end"), process: 1) == 1_675_000)
    #expect(clock.cpuTime(stream.seen("end"), process: 9) == 0)
  }

  @Test func stretchingLeavesWhatWasBeforeTheSecondThread() {
    let stream = Self.joining()
    var setting = OverheadCompensatedClock.Setting()
    setting.stretch = 2
    let clock = stream.clock(processors: 2).set(setting)
    #expect(clock.time(stream.seen("created")) == 1_000_000)
    #expect(clock.time(stream.seen("end")) == 2_310_000)
    // More time is waiting for a processor, less is running.
    #expect(clock.cpuTime(stream.seen("end"), thread: 1) == 1_075_000)
    setting.stretch = 0.5
    #expect(
      stream.clock(processors: 2).set(setting).cpuTime(stream.seen("end"), thread: 1)! < 1_075_000)
  }

  @Test func aWaitOnAFutexEndsWithItsWaker() {
    var stream = Stream()
    stream.add(1, ran: 100_000, created: 2)
    stream.add(2, isFirst: true)
    stream.add(1, ran: 10_000, action: .waits(address: 64, value: 0))
    stream.add(2, ran: 300_000, held: 5_000_000, action: .wakes(address: 128))
    stream.add(2, ran: 0, action: .returns(result: 0))
    stream.add(2, ran: 200_000, held: 5_000_000, action: .wakes(address: 64))
    stream.add(1, ran: 1000, waited: true, action: .returns(result: 0), "woken")
    #expect(stream.clock(processors: 2).time(stream.seen("woken")) == 601_000)
  }

  @Test func whatCameBeforeTheWaitEndsItAtOnce() {
    var stream = Stream()
    stream.add(1, ran: 100_000, created: 2)
    stream.add(2, isFirst: true)
    // The tracer held the main thread so long that the other had to wait for it, and not the reverse.
    stream.add(2, ran: 50_000, action: .waits(address: 64, value: 0))
    stream.add(1, ran: 10_000, held: 9_000_000, action: .wakes(address: 64))
    stream.add(2, ran: 1000, waited: true, action: .returns(result: 0), "woken")
    #expect(stream.clock(processors: 2).time(stream.seen("woken"), thread: 2) == 151_000)
  }

  @Test func aSleepStaysAsLongAsItWas() {
    var stream = Stream()
    stream.add(1, ran: 100_000, created: 2)
    stream.add(2, isFirst: true)
    stream.add(1, ran: 10_000, action: .calls)
    stream.pass(7_000_000)
    stream.add(1, ran: 1000, waited: true, action: .returns(result: 0), "awake")
    let time = stream.clock(processors: 2).time(stream.seen("awake"))
    // The sleep began when the thread ran on from its stop, and includes what it ran at its end.
    #expect((7_110_000...7_120_000).contains(time), "\(time)")
  }

  @Test(arguments: [OverheadCompensatedClock.Action.sleeps, .calls])
  func aWaitIsNotEndedByAThreadThatHasEndedLongBefore(action: OverheadCompensatedClock.Action) {
    var stream = Stream()
    stream.add(1, ran: 100_000, created: 2)
    stream.add(2, isFirst: true)
    stream.add(1, ran: 10_000, action: action)
    stream.add(2, ran: 10_000, action: .ends)
    stream.pass(7_000_000)
    stream.add(1, ran: 1000, waited: true, action: .returns(result: 0), "awake")
    let clock = stream.clock(processors: 2)
    #expect((7_110_000...7_130_000).contains(clock.time(stream.seen("awake"))))
    #expect((clock.unexplained > 0) == (action == .calls))
  }

  @Test func aReadEndsWithTheWriteThatWasGoingOn() {
    var stream = Stream()
    stream.add(1, ran: 100_000, created: 2)
    stream.add(2, isFirst: true)
    stream.add(1, ran: 10_000, action: .calls)
    stream.add(2, ran: 300_000, held: 5_000_000)
    stream.add(2, ran: 100_000, action: .sends)
    stream.add(1, ran: 1000, waited: true, action: .returns(result: 1), "read")
    #expect(stream.clock(processors: 2).time(stream.seen("read")) == 501_000)
  }

  @Test func waitingWithTimeLimitsAgainAndAgainIsOneWait() {
    var stream = Stream()
    stream.add(1, ran: 100_000, created: 2)
    stream.add(2, isFirst: true)
    for _ in 0..<5 {
      stream.add(1, ran: 0, action: .waits(address: 64, value: 0))
      stream.pass(5_000_000)
      stream.add(2, ran: 10_000, held: 3_000_000)
      stream.add(1, ran: 0, waited: true, action: .returns(result: -110))
    }
    stream.add(1, ran: 0, action: .waits(address: 64, value: 0))
    stream.add(2, ran: 10_000, action: .wakes(address: 64))
    stream.add(1, ran: 1000, waited: true, action: .returns(result: 0), "woken")
    #expect(stream.clock(processors: 2).time(stream.seen("woken")) == 161_000)
  }

  @Test func whoWaitsForOneThreadWaitsForThoseThatHaveEndedToo() {
    // The tracer held the second thread at its end, after the third one, which is joined next: that join
    // needs no system call any more. Without the tracer the third one ends last.
    var stream = Stream()
    stream.add(1, ran: 100_000, created: 2)
    stream.add(2, isFirst: true)
    stream.add(1, ran: 0, created: 3)
    stream.add(3, isFirst: true)
    stream.add(1, ran: 0, action: .waits(address: 64, value: 2))
    stream.add(3, ran: 900_000, action: .ends)
    stream.add(2, ran: 300_000, held: 9_000_000, action: .ends)
    stream.add(1, ran: 1000, waited: true, action: .returns(result: 0), "joined")
    #expect(stream.clock(processors: 4).time(stream.seen("joined")) == 1_001_000)
  }

  @Test func unexplainedWaitsAreNoted() {
    var stream = Stream()
    stream.add(1, ran: 100_000, created: 2)
    stream.add(2, isFirst: true)
    stream.add(1, ran: 0, action: .calls)
    stream.pass(1_000_000)
    stream.add(1, ran: 0, waited: true, action: .returns(result: 1))
    let clock = stream.clock(processors: 2)
    #expect((1_000_000...1_010_000).contains(clock.unexplained))
    #expect(clock.correction(isOff: false).unexplainedWaits == clock.unexplained)
  }

  @Test func aStartIsMadeAsLongAsThoseThatWereLeftAlone() {
    let stream = Self.joining()
    // What all threads ran is right; 3 µs are missing: a processor took so long to wake up.
    for (duration, isOff) in [
      (1_655_000, false), (1_665_000, false), (1_700_000, false), (9_000_000, true),
    ] {
      let events = stream.events(end: "end")
      let fit = ClockFit(events, duration: UInt64(duration), cpuTime: 1_675_000)
      #expect(fit.isCut == isOff, "\(duration)")
      if isOff { continue }
      let fitted = events.set(fit.setting)
      #expect(abs(Int(fitted.duration) - duration) < 2000, "\(duration): \(fitted.duration)")
      #expect(fitted.clock.cpuTime(stream.seen("end"), process: 1) <= 1_676_000)
    }
  }

  /// The main thread makes a second one, which does six pieces of work, and waits for its end.
  private static func joining() -> Stream {
    var stream = Stream()
    stream.add(1, ran: 1_000_000, created: 2, "created")
    stream.add(2, isFirst: true)
    stream.add(1, ran: 20_000, action: .waits(address: 64, value: 2))
    for _ in 0..<5 { stream.add(2, ran: 100_000, held: 900_000) }
    stream.add(2, ran: 100_000, action: .ends, "second ends")
    stream.add(1, ran: 5000, waited: true, action: .returns(result: 0), "joined")
    stream.add(1, ran: 50_000, action: .ends, "end")
    return stream
  }
}

/// Stops as a tracer sees them that handles one after the other: no two threads run at once.
private struct Stream {
  private(set) var stops: [OverheadCompensatedClock.Stop] = []
  private var names: [String: Int] = [:]
  private var now: UInt64 = 0
  /// What a stop takes of a thread's processor.
  private static let cost: UInt64 = 100

  /// A stop of a thread that has run so long since the one before.
  mutating func add(
    _ thread: UInt32, ran: UInt64 = 0, held: UInt64 = 2000, created: UInt32 = 0,
    isFirst: Bool = false, waited: Bool = false, action: OverheadCompensatedClock.Action = .none,
    _ name: String = ""
  ) {
    now += ran + Self.cost
    let isSystemCall =
      switch action {
      case .none, .ends: false
      default: true
      }
    stops.append(
      OverheadCompensatedClock.Stop(
        thread: thread, process: 1, created: created, seen: now, resumed: now + held,
        isSystemCall: isSystemCall,
        share: isFirst ? nil : .init(ran: ran + Self.cost, isWhole: !waited), action: action))
    names[name] = stops.count - 1
    now += held
  }

  /// Time in which no thread runs.
  mutating func pass(_ time: UInt64) { now += time }

  func seen(_ name: String) -> UInt64 { stops[names[name]!].seen }

  func clock(processors: Int) -> OverheadCompensatedClock {
    let cost = OverheadCompensatedClock.StopCost(
      before: 0, after: 0, systemCall: 0, running: Self.cost, systemCallRunning: Self.cost)
    return OverheadCompensatedClock(
      stops: stops, cost: OverheadCompensatedClock.Costs(apart: cost), mainThread: 1, requested: 0,
      processors: processors)
  }

  func events(end: String) -> LaunchEvents {
    let none = LaunchEvents.Faults()
    return LaunchEvents(
      clock: clock(processors: 2), mainThread: 1, requested: 0,
      executed: LaunchEvents.Moment(time: 0, faults: none), program: "/program",
      programRange: 0..<0, hasLoader: false, loader: "", librariesTold: [], systemCalls: [],
      visits: [], end: LaunchEvents.Moment(time: seen(end), faults: none), endThread: nil,
      cpuTime: stops.reduce(0) { $0 + ($1.share?.ran ?? 0) })
  }
}
