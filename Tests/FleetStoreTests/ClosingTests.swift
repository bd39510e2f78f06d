import FirstlightModel
import FleetModel
import FleetTestSupport
import TestSupport
import Testing

/// Days of which no more rows are taken.
@Suite struct ClosingTests {
  private static let today = ExampleHosts.today
  private static let key = ExampleHosts.program

  private static func day(_ offset: Int32) -> FleetDay {
    FleetDay(number: ExampleHosts.day.number + offset)
  }

  private static func state(
    _ day: FleetDay, version: RowVersion = 1, of build: BuildKey = key, calls: [UInt32] = [1]
  ) -> SeriesState {
    let sum = GuardSum(runs: 1, hosts: 0, firstSeen: day.start, lastSeen: day.start)
    var totals = SeriesTotals()
    totals.runs = 1
    return SeriesState(
      key: StateKey(
        series: SeriesKey(build: build, day: day, labels: FleetLabels()), guardCount: 120),
      version: version, name: "server", isExecutable: true, totals: totals,
      sums: GuardSums(guardCount: 120, Dictionary(uniqueKeysWithValues: calls.map { ($0, sum) })))
  }

  /// Of whatever days, in whatever steps.
  @Test(arguments: StoreKind.available, [1, 2, 3] as [UInt64])
  func closingChangesNoAnswer(kind: StoreKind, seed: UInt64) async throws {
    var hosts = ExampleHosts(seed: seed)
    for number in 0..<40 { try hosts.run(number) }
    let stores = try await kind.make(2)
    var expected = StateOracle()
    try await stores[0].take(hosts.shuffled(), on: Self.today, expecting: &expected)
    let days = Set(
      hosts.sent.flatMap { $0.states.map(\.key.day) }
    ).sorted()
    #expect(days.count > 3)
    #expect(try await stores[0].firstOpenDay().number == 0)
    #expect(try await stores[0].close(before: days[2]) == 2)
    #expect(try await stores[1].firstOpenDay() == days[2])
    for store in stores { try await expected.check(store) }
    // Of each series of a closed day there is one row.
    let closed = Set(
      hosts.sent.flatMap { $0.states.map(\.key) }.filter { $0.day < days[2] }
    ).count
    let open = Set(
      hosts.sent.flatMap { message in
        message.states.map { ExampleHosts.Row(publisher: message.publisher, key: $0.key) }
      }.filter { $0.key.day >= days[2] }
    ).count
    #expect(try await stores[0].size().rows == closed + open)

    #expect(try await stores[1].close(before: days[2]) == 0)
    // Days that are closed stay so.
    #expect(try await stores[1].close(before: days[1]) == 0)
    #expect(try await stores[0].firstOpenDay() == days[2])
    #expect(try await stores[0].close(before: Self.today) == days.count - 2)
    for store in stores { try await expected.check(store) }
    #expect(try await stores[0].receivedDays().isEmpty)
  }

  @Test(arguments: StoreKind.available)
  func twoMayCloseAtTheSameTime(kind: StoreKind) async throws {
    var hosts = ExampleHosts(seed: 9)
    for number in 0..<30 { try hosts.run(number) }
    let stores = try await kind.make(2)
    var expected = StateOracle()
    try await stores[0].take(hosts.sent, on: Self.today, expecting: &expected)
    async let first = stores[0].close(before: Self.today)
    async let second = stores[1].close(before: Self.today)
    _ = try await (first, second)
    for store in stores { try await expected.check(store) }
    let series = Set(hosts.sent.flatMap { $0.states.map(\.key) })
    #expect(try await stores[0].size().rows == series.count)
  }

  @Test(arguments: StoreKind.available)
  func rowsOfClosedDaysAreRefusedWithTheReason(kind: StoreKind) async throws {
    let stores = try await kind.make(2)
    let states = [Self.day(0), Self.day(1)].map { Self.state($0) }
    let published = PublishedStates(publisher: .test(1), states: states)
    #expect(try await stores[0].take(published, on: Self.today).added == 2)
    // Also where nothing came for it.
    #expect(try await stores[0].close(before: Self.day(-3)) == 0)
    #expect(try await stores[0].close(before: Self.day(1)) == 1)
    var newer = published
    newer.states[0] = Self.state(Self.day(0), version: 2, calls: [1, 2])
    newer.states[1] = Self.state(Self.day(1), version: 2, calls: [1, 3])
    for store in stores {
      let receipt = try await store.take(newer, on: Self.today)
      #expect(receipt.places(.late) == [0])
      #expect(
        receipt.refusals[0]?.reason
          == "\(Self.day(0)) is closed: rows are taken from \(Self.day(1)) on")
      #expect(receipt.firstOpenDay == Self.day(1))
      #expect(receipt.added + receipt.known == 1)
    }
    let coverage = try #require(try await stores[1].coverage(of: Self.key, in: FleetQuery()))
    #expect(coverage.guards.called.map { "\($0.0):\($0.1.runs)" } == ["1:2", "3:1"])
    #expect(coverage.totals.runs == 2)
    // Nor of a build that nobody knew.
    let late = PublishedStates(
      publisher: .test(2), states: [Self.state(Self.day(0), of: ExampleHosts.library)])
    #expect(try await stores[0].take(late, on: Self.today).places(.late).count == 1)
    #expect(try await stores[0].builds(FleetQuery(), page: Page()).map(\.key) == [Self.key])
  }

  /// A host whose clock is ahead.
  @Test(arguments: StoreKind.available)
  func rowsOfLaterDaysThanTomorrowAreEarly(kind: StoreKind) async throws {
    let store = try await kind.make()
    let published = PublishedStates(
      publisher: .test(1), states: [2, 0, 1, 400].map { Self.state(Self.day($0)) })
    let receipt = try await store.take(published, on: Self.day(0))
    #expect(receipt.places(.early) == [0, 3] && receipt.added == 2 && receipt.refusals.count == 2)
    #expect(
      try await store.series(of: Self.key, in: FleetQuery()).map(\.day)
        == [Self.day(0), Self.day(1)])
    #expect(try await store.take(published, on: Self.day(1)).places(.early) == [3])
    #expect(try await store.size().rows == 3)
  }

  /// What ran before a clock was set.
  @Test(arguments: StoreKind.available)
  func whatHasNoDateIsTakenForGood(kind: StoreKind) async throws {
    let store = try await kind.make()
    for version in [1, 2] as [RowVersion] {
      let published = PublishedStates(
        publisher: .test(1),
        states: [
          Self.state(.undated, version: version, calls: (0..<UInt32(version.changes)).map { $0 })
        ])
      #expect(try await store.take(published, on: Self.today).added == 1)
      _ = try await store.close(before: Self.today)
      let coverage = try #require(try await store.coverage(of: Self.key, in: FleetQuery()))
      #expect(coverage.guards.calledCount == Int(version.changes) && coverage.totals.runs == 1)
      let rows = [(key: published.states[0].key, version: 9 as RowVersion)]
      #expect(try await store.versions(of: .test(1), rows) == [version])
    }
  }

  @Test(arguments: StoreKind.available)
  func theDaysOnWhichRowsCameAreKnown(kind: StoreKind) async throws {
    let store = try await kind.make()
    func days() async throws -> [FleetDay] { try await store.receivedDays().sorted() }
    #expect(try await days().isEmpty)
    for offset in [0, 1, 5] as [Int32] {
      let published = PublishedStates(publisher: .test(1), states: [Self.state(Self.day(offset))])
      _ = try await store.take(published, on: Self.day(offset))
      // One that comes again is no news.
      _ = try await store.take(published, on: Self.day(9))
    }
    #expect(try await days() == [Self.day(0), Self.day(1), Self.day(5)])
    _ = try await store.close(before: Self.day(5))
    #expect(try await days() == [Self.day(5)])
  }

  /// Numbers that nobody can have counted.
  @Test(arguments: StoreKind.available)
  func forgedNumbersCanBeAddedUp(kind: StoreKind) async throws {
    let store = try await kind.make()
    let most = 1 << 42
    for publisher in 0..<3 as Range<UInt64> {
      var state = Self.state(Self.day(0))
      state.totals.runs = most
      state.totals.drops = most
      state.totals.seconds = 9e14
      state.startups.counts = [1000: most]
      state.sums = GuardSums(
        guardCount: 120,
        [7: GuardSum(runs: most, hosts: most, firstSeen: 0, lastSeen: 0)])
      _ = try await store.take(
        PublishedStates(publisher: .test(publisher), states: [state]), on: Self.today)
    }
    for _ in 0..<2 {
      let coverage = try #require(try await store.coverage(of: Self.key, in: FleetQuery()))
      #expect(coverage.guards[7].runs >= most && coverage.totals.drops >= most)
      let build = try #require(try await store.builds(FleetQuery(), page: Page()).first)
      #expect(build.totals.runs >= most)
      let series = try await store.series(of: Self.key, in: FleetQuery())
      #expect(series.map { $0.startups.total >= most } == [true])
      _ = try await store.close(before: Self.today)
    }
  }
}
