import StartupReport
import Testing

/// What stops really cost is told by the starts without them.
@Suite struct StopCostScaleTests {
  /// A start of this length under ten stops that really cost `each` beside the time they were held.
  private func start(_ length: UInt64, each: UInt64) -> LaunchEvents {
    let cost = OverheadCompensatedClock.Costs(
      apart: OverheadCompensatedClock.StopCost(before: 10, after: 10, running: 20))
    let stops = (1...10).map {
      OverheadCompensatedClock.Stop(
        thread: 1, created: 0, seen: UInt64($0) * 5000, resumed: UInt64($0) * 5000 + 1000,
        share: .init(ran: length / 10 + each))
    }
    return LaunchEvents(
      clock: OverheadCompensatedClock(stops: stops, cost: cost, mainThread: 1, requested: 0),
      mainThread: 1,
      requested: 0, executed: LaunchEvents.Moment(time: 5000, faults: LaunchEvents.Faults()),
      program: "/program", programRange: 0..<0, hasLoader: false, loader: "", librariesTold: [],
      systemCalls: [], visits: [],
      end: LaunchEvents.Moment(time: 50000, faults: LaunchEvents.Faults()), endThread: nil)
  }

  @Test func theScaleIsTheRealCostInPartsOfTheMeasuredOne() throws {
    let scale = try #require(
      StopCostScale(
        watched: [10_000, 10_100, 10_050, 9_900].map { start($0, each: 30) },
        plain: [10_010, 9_950, 10_040, 10_070].map { .init(duration: $0) }))
    #expect(abs(scale.setting.costScale - 1.5) < 0.1)
    #expect(!scale.isCut)
    #expect(
      zip(scale.checked, [10_000, 10_100, 10_050, 9_900]).allSatisfy { abs(Int($0) - $1) < 100 })
  }

  @Test func aStartIsNotCheckedByItself() throws {
    // Were the odd one's own time taken for the scale, it would fit better.
    let scale = try #require(
      StopCostScale(
        watched: [start(10_000, each: 20), start(10_000, each: 20), start(10_200, each: 20)],
        plain: [10_000, 10_000, 10_000].map { .init(duration: $0) }))
    #expect(scale.checked[2] == 10_200)
  }

  @Test func overheadCorrectionIsLimited() throws {
    let scale = try #require(
      StopCostScale(
        watched: (0..<3).map { _ in start(20_000, each: 20) },
        plain: [10_000, 10_000, 10_000].map { .init(duration: $0) }))
    #expect(scale.isCut)
    #expect(scale.setting.costScale == 2)
  }

  @Test func tooFewStartsGiveNoEstimate() {
    #expect(
      StopCostScale(watched: [start(10_000, each: 30)], plain: [.init(duration: 10_000)]) == nil)
  }
}
