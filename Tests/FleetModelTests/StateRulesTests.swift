import FirstlightModel
import FleetModel
import Foundation
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

  private static func refusal(_ day: Int32, of id: String = "ee") -> RowRefusal? {
    let series = SeriesKey(
      build: BuildKey(buildID: BuildID(id)!), day: FleetDay(number: day), labels: FleetLabels())
    return rules.refusal(of: StateKey(series: series, guardCount: 3))
  }

  @Test func rowsOfOpenDaysUpToTomorrowAreTaken() {
    for day in [19_990, 20_000, 20_001] as [Int32] { #expect(Self.refusal(day) == nil) }
    for day in [20_002, .max] as [Int32] { #expect(Self.refusal(day) == RowRefusal(.early)) }
  }

  @Test func rowsOfClosedDaysAreRefusedButUndatedOnes() {
    #expect(
      Self.refusal(19_989)
        == RowRefusal(.late, "2024-09-23 is closed: rows are taken from 2024-09-24 on"))
    #expect(Self.refusal(1) != nil)
    #expect(Self.refusal(0) == nil)
  }

  @Test func rowsOfDroppedEvidenceAreRefused() {
    let refused = RowRefusal(
      .refused, "build aabbccdd was dropped up to 2024-09-29 by retain-days=9")
    #expect(Self.refusal(19_994, of: "aabbccdd") == refused)
    // Undated evidence is as old as its arrival: what was removed does not come back, what is new counts.
    #expect(Self.refusal(0, of: "aabbccdd") == nil)
    var onThatDay = Self.rules
    onThatDay.today = FleetDay(number: 19_994)
    let key = StateKey(
      series: SeriesKey(build: Self.build, day: .undated, labels: FleetLabels()), guardCount: 3)
    #expect(onThatDay.refusal(of: key) == refused)
    #expect(Self.rules.wasRemoved(key, stored: nil, follows: 1))
    #expect(!Self.rules.wasRemoved(key, stored: nil, follows: .none))
    #expect(!Self.rules.wasRemoved(key, stored: 1, follows: 1))
    #expect(Self.refusal(19_995, of: "aabbccdd") == nil)
    #expect(Self.refusal(19_994) == nil)
  }

  @Test func receiptsOfPartsAddUp() throws {
    var all = StateReceipt()
    var first = StateReceipt()
    (first.added, first.known, first.samples) = (1, 2, 3)
    first.refusals = [0: RowRefusal(.early), 2: RowRefusal(.foreign)]
    first.firstOpenDay = FleetDay(number: 7)
    first.sampleLimits = [Self.build: 9]
    var second = first
    second.refusals[1] = RowRefusal(.refused, "r")
    second.firstOpenDay = FleetDay(number: 6)
    second.sampleLimits = [Self.build: 8]
    all.add(first, after: 0)
    all.add(second, after: 10)
    #expect(all.added == 2 && all.known == 4 && all.samples == 6)
    #expect(all.places(.foreign) == [2, 12] && all.places(.early) == [0, 10])
    #expect(all.refusals.count == 5 && all.refusals[11] == RowRefusal(.refused, "r"))
    #expect(all.firstOpenDay.number == 7 && all.sampleLimits == [Self.build: 8])
    // As an answer of a daemon.
    let text = try JSONEncoder().encode(all)
    #expect(try JSONDecoder().decode(StateReceipt.self, from: text) == all)
  }
}
