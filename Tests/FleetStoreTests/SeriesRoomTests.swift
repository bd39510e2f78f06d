import FirstlightModel
import FleetModel
import FleetTestSupport
import TestSupport
import Testing

/// Rows of one build with more sets of labels than a day may have, and days on which no run began.
@Suite struct SeriesRoomTests {
  private static let build = ExampleHosts.program
  private static let day = ExampleHosts.day

  private static func row(
    _ labels: String? = nil, day: FleetDay = day, version: RowVersion = 1, runs: Int = 1,
    calls: [UInt32] = [1]
  ) throws -> SeriesState {
    let key = StateKey(
      series: SeriesKey(
        build: build, day: day, labels: try FleetLabels(labels.map { ["set": $0] } ?? [:])),
      guardCount: 120)
    let sum = GuardSum(runs: 1, hosts: 0, firstSeen: day.start, lastSeen: day.start)
    var totals = SeriesTotals()
    totals.runs = runs
    return SeriesState(
      key: key, version: version, name: "server", isExecutable: true, totals: totals,
      sums: GuardSums(guardCount: 120, Dictionary(uniqueKeysWithValues: calls.map { ($0, sum) })))
  }

  private static func sent(_ rows: [SeriesState], by publisher: UInt64 = 1) -> PublishedStates {
    PublishedStates(publisher: .test(publisher), states: rows)
  }

  @Test(arguments: StoreKind.available)
  func rowsWithTooManySetsOfLabelsWait(kind: StoreKind) async throws {
    let store = try await kind.make()
    let today = ExampleHosts.today
    let limit = SeriesRoom.limit
    let rows = try (0..<limit + 40).map { try Self.row("\($0)") }
    let receipt = try await store.take(Self.sent(rows), on: today)
    #expect(receipt.added == limit && receipt.places(.refused, .late).isEmpty)
    #expect(receipt.places(.crowded) == Array(limit..<limit + 40))
    #expect(receipt.places(.early).isEmpty)
    // Sets that the day has are open to all hosts, and other days have room of their own.
    let next = FleetDay(number: Self.day.number + 1)
    let others = try [Self.row("0"), Self.row("new"), Self.row("new", day: next)]
    let other = try await store.take(Self.sent(others, by: 2), on: today)
    #expect(other.added == 2 && other.places(.crowded) == [1] && other.places(.early).isEmpty)
    let again = try await store.take(
      Self.sent([Self.row("5", version: 2), Self.row("7")]), on: today)
    #expect(again.added == 1 && again.known == 1 && again.places(.crowded).isEmpty)

    #expect(try await store.crowdedDays(of: Self.build) == [Self.day])
    let sentence = try #require(SeriesRoom.sentence([Self.day]))
    #expect(sentence.hasPrefix("\(Self.day) has \(limit) sets of labels"))
    var selection = FleetQuery()
    #expect(try await store.profile(of: selection).unlisted.problems[sentence] == 1)
    selection.days = next...next
    #expect(try await store.profile(of: selection).unlisted.problems[sentence] == nil)
  }

  /// A server that began the day before: what it did not call on this day proves nothing.
  @Test(arguments: StoreKind.available)
  func aSelectionWithoutAStartProvesNothingUncalled(kind: StoreKind) async throws {
    let store = try await kind.make()
    let next = FleetDay(number: Self.day.number + 1)
    _ = try await store.take(
      Self.sent([Self.row(), Self.row(day: next, runs: 0, calls: [2])]), on: ExampleHosts.today)
    var selection = FleetQuery()
    let all = try #require(try await store.profile(of: selection).builds.first)
    #expect(all.runs == 1 && all.unwatched.isEmpty)
    selection.days = next...next
    let profile = try await store.profile(of: selection)
    let since = try #require(profile.builds.first)
    #expect(since.runs == 0 && since.coverage[2].runs == 1)
    #expect(since.unwatched == Set(0..<120))
    #expect(profile.unlisted.problems.keys.map(\.text).contains { $0.hasPrefix("no run began") })
  }
}
