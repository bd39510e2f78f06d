import FirstlightModel
import StartupReport
import Testing

/// What the stops that mark stages cost shows in the starts without them.
@Suite struct StageOverheadTests {
  /// A start with stages of so many nanoseconds, each of them with a stop at its end.
  ///
  /// - Parameter ran: nanoseconds on a CPU of each; nil: all of them.
  private func start(_ lengths: [UInt64], ran: [UInt64]? = nil) -> LaunchEvents {
    var now: UInt64 = 0
    let ends = lengths.map { length -> UInt64 in
      now += length
      return now
    }
    let none = LaunchEvents.Faults()
    func moment(_ time: UInt64) -> LaunchEvents.Moment { .init(time: time, faults: none) }
    return LaunchEvents(
      clock: OverheadCompensatedClock(
        stops: zip(ends, ran ?? lengths).map { end, ran in
          .init(
            thread: 1, seen: end, resumed: end,
            share: .init(ran: ran, isWhole: ran == lengths[ends.firstIndex(of: end)!]))
        }, mainThread: 1, requested: 0),
      mainThread: 1, requested: 0, executed: moment(ends[0]), program: "/program",
      programRange: 0..<0, hasLoader: false, loader: "", librariesTold: [], systemCalls: [],
      visits: [
        .init(
          landmark: .main, image: "/program", address: 0, thread: 1, entry: moment(ends[1]),
          exit: nil)
      ], end: moment(ends[2]), endThread: nil)
  }

  @Test func eachStopCostsTheSame() {
    let starts = (0..<5).map { start([1300 + $0, 2300, 5300]) }
    let overhead = StageOverhead(starts, plain: [8000, 7990, 8010, 8002, 8004])
    #expect((298...302).contains(overhead.cost))
    let stages = starts[0].measured(overhead)
    #expect((995...1005).contains(stages[.exec]!.duration))
    #expect((1995...2005).contains(stages[.initializers]!.duration))
    #expect((4995...5005).contains(stages[.main]!.duration))
    #expect(overhead.checked.allSatisfy { (7980...8020).contains($0) })
  }

  /// A request for a Lambda event ends the stage of `main`, with no stop.
  @Test func aLambdaEventIsAStageOfItsOwn() {
    var events = start([1000, 2000, 5000])
    events.asked = LaunchEvents.Moment(time: 4000, faults: .init(minor: 7))
    events.askedCPUTime = 3500
    events.cpuTime = 6000
    #expect(events.initialization == 4000)
    let stages = events.measured(StageOverhead([], plain: []))
    #expect(stages[.main] == ClockFit.Measured(duration: 1000, cpuTime: 500))
    #expect(stages[.event] == ClockFit.Measured(duration: 4000, cpuTime: 2500))
    let record = LaunchRecord(events)
    #expect(record.stages.map(\.kind) == [.exec, .initializers, .main, .event])
    #expect(record.stages.map(\.duration) == [1000, 2000, 1000, 4000])
    #expect(record.stages[2].minorFaults == 7)
    // Fitting to the start itself changes nothing.
    let fitted = LaunchRecord(events.fitted(to: stages).0)
    for (one, other) in zip(fitted.stages, record.stages) {
      #expect(abs(Double(one.duration) - Double(other.duration)) < 2, "\(one.kind)")
    }
  }

  @Test func aStartIsNotCheckedByItself() {
    let overhead = StageOverhead(
      [start([1000, 2000, 5000]), start([1000, 2000, 5000]), start([1000, 2000, 8000])],
      plain: [8000, 8000, 8000])
    #expect(overhead.checked[2] == 11_000)
  }

  @Test func noStopCostsMostOfAStage() {
    // What the shortest stage cannot have lost, the others have.
    let starts = (0..<3).map { _ in start([1000, 400, 5000]) }
    let overhead = StageOverhead(starts, plain: [4900, 4900, 4900])
    let stages = starts[0].measured(overhead)
    #expect(abs(stages[.initializers]!.duration - 100) < 1)
    #expect(abs(stages[.exec]!.duration - 400) < 1)
    #expect(abs(stages[.main]!.duration - 4400) < 1)
    #expect(stages.values.allSatisfy { $0.cpuTime >= 0 })
  }

  @Test func aStageThatSleepsLosesNoSleep() {
    let starts = (0..<3).map { _ in start([1000, 30_000, 5000], ran: [1000, 200, 5000]) }
    let overhead = StageOverhead(starts, plain: [34_000, 34_000, 34_000])
    #expect(starts[0].measured(overhead)[.initializers]!.duration >= 30_000 - 150)
  }

  @Test func aDifferenceWithinItsUncertaintyIsNotSubtracted() {
    let starts = [8000, 9000, 10_000, 11_000, 12_000].map { start([1000, 1000, $0]) }
    #expect(StageOverhead(starts, plain: [10_000, 11_000, 11_500, 12_000, 14_000]).cost == 0)
  }

  @Test func tooFewStartsGiveNoCost() {
    #expect(StageOverhead([start([1000, 2000, 5000])], plain: [7000]).cost == 0)
  }
}
