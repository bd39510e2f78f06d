import FirstlightModel
import FleetModel
import Testing

/// Which rows a store takes, and what it says of the others.
@Suite struct StateRulesTests {
  private static let build = BuildKey(buildID: BuildID("aabbccdd")!)
  private static let rules = StateRules(
    firstOpenDay: FleetDay(number: 19_990),
    dropped: [
      build: DroppedEvidence(
        build: build, program: "server", before: FleetDay(number: 19_995), reason: "retain-days=9")
    ], today: FleetDay(number: 20_000))

  private static func verdict(_ day: Int32, of id: String = "ee") -> StateRules.Verdict {
    let series = SeriesKey(
      build: BuildKey(buildID: BuildID(id)!), day: FleetDay(number: day), labels: FleetLabels())
    return rules.verdict(on: StateKey(series: series, guardCount: 3))
  }

  @Test func rowsOfOpenDaysUpToTomorrowAreTaken() {
    for day in [19_990, 20_000, 20_001] as [Int32] { #expect(Self.verdict(day) == .taken) }
    for day in [20_002, .max] as [Int32] { #expect(Self.verdict(day) == .early) }
  }

  @Test func rowsOfClosedDaysAreRefusedButUndatedOnes() {
    #expect(
      Self.verdict(19_989)
        == .late("2024-09-23 is closed: rows are taken from 2024-09-24 on"))
    #expect(Self.verdict(1) != .taken)
    #expect(Self.verdict(0) == .taken)
  }

  @Test func rowsOfDroppedEvidenceAreRefused() {
    let refused = StateRules.Verdict.refused(
      "build aabbccdd was dropped up to 2024-09-29 by retain-days=9")
    #expect(Self.verdict(19_994, of: "aabbccdd") == refused)
    // Undated evidence is as old as its arrival: what was removed does not come back, what is new counts.
    #expect(Self.verdict(0, of: "aabbccdd") == .taken)
    var onThatDay = Self.rules
    onThatDay.today = FleetDay(number: 19_994)
    let key = StateKey(
      series: SeriesKey(build: Self.build, day: .undated, labels: FleetLabels()), guardCount: 3)
    #expect(onThatDay.verdict(on: key) == refused)
    #expect(Self.rules.wasRemoved(key, stored: nil, follows: 1))
    #expect(!Self.rules.wasRemoved(key, stored: nil, follows: .none))
    #expect(!Self.rules.wasRemoved(key, stored: 1, follows: 1))
    #expect(Self.verdict(19_995, of: "aabbccdd") == .taken)
    #expect(Self.verdict(19_994) == .taken)
  }

  @Test func receiptsOfPartsAddUp() {
    var all = StateReceipt()
    var first = StateReceipt()
    (first.added, first.known, first.samples, first.early) = (1, 2, 3, [0])
    (first.foreign, first.removed) = ([2], [3])
    first.firstOpenDay = FleetDay(number: 7)
    first.sampleLimits = [Self.build: 9]
    var second = first
    second.refused = [RefusedState(place: 1, reason: "r")]
    second.firstOpenDay = FleetDay(number: 6)
    second.sampleLimits = [Self.build: 8]
    all.add(first, after: 0)
    all.add(second, after: 10)
    #expect(all.added == 2 && all.known == 4 && all.samples == 6)
    #expect(all.foreign == [2, 12] && all.removed == [3, 13])
    #expect(all.early == [0, 10] && all.refused == [RefusedState(place: 11, reason: "r")])
    #expect(all.firstOpenDay.number == 7 && all.sampleLimits == [Self.build: 8])
  }
}
