import FirstlightModel
import FleetModel
import FleetTestSupport
import TestSupport
import Testing

/// Rows of many publishers, however they come.
@Suite struct PublisherTests {
  private static let today = ExampleHosts.today
  private static let key = ExampleHosts.program
  private static let last = RowVersion(changes: 1 << 40 - 1)

  /// Twice, late, in any order, through several receivers.
  @Test(arguments: StoreKind.available, [1, 2, 3, 4] as [UInt64])
  func rowsMayComeAgainAndInAnyOrder(kind: StoreKind, seed: UInt64) async throws {
    var hosts = ExampleHosts(seed: seed)
    for number in 0..<40 { try hosts.run(number) }
    let stores = try await kind.make(2)
    var expected = StateOracle()
    for (place, message) in hosts.shuffled().enumerated() {
      let receipt = try await stores[place % 2].take(message, on: Self.today)
      #expect(receipt.added + receipt.known == message.states.count)
      expected.take(message)
      // Also on the way.
      if place == 9 { try await expected.check(stores[1]) }
    }
    for store in stores { try await expected.check(store) }
    #expect(try await stores[0].size().rows == expected.rowCount)
    let samples = Set(hosts.sent.flatMap { $0.samples.map(\.id) })
    let kept = try await stores[1].traces(of: Self.key).map(\.id)
    #expect(kept.count == samples.count && Set(kept) == samples)
    // Once more changes nothing.
    for message in hosts.sent {
      let receipt = try await stores[0].take(message, on: Self.today)
      #expect(receipt.known == 1 && receipt.added == 0 && receipt.samples == 0)
    }
    try await expected.check(stores[0])
  }

  /// Two receivers that get the same at the same time.
  @Test(arguments: StoreKind.available)
  func receiversMayWriteAtTheSameTime(kind: StoreKind) async throws {
    var hosts = ExampleHosts(seed: 11)
    for number in 0..<30 { try hosts.run(number) }
    let stores = try await kind.make(2)
    let messages = [hosts.shuffled(), hosts.shuffled()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (store, messages) in zip(stores, messages) {
        group.addTask {
          for message in messages { _ = try await store.take(message, on: Self.today) }
        }
      }
      try await group.waitForAll()
    }
    var expected = StateOracle()
    for message in hosts.sent { expected.take(message) }
    try await expected.check(stores[0])
    #expect(try await stores[1].size().rows == expected.rowCount)
  }

  @Test(arguments: StoreKind.available)
  func aNewerRowTakesThePlaceOfAnOlderOne(kind: StoreKind) async throws {
    let store = try await kind.make()
    func state(_ version: RowVersion, calls: [UInt32]) -> SeriesState {
      let key = StateKey(
        series: SeriesKey(build: Self.key, day: ExampleHosts.day, labels: FleetLabels()),
        guardCount: 120)
      let time = ExampleHosts.day.start
      let sum = GuardSum(runs: 1, hosts: 0, firstSeen: time, lastSeen: time)
      var totals = SeriesTotals()
      totals.runs = calls.count
      return SeriesState(
        key: key, version: version, name: "server", isExecutable: true, totals: totals,
        startups: StartupHistogram(counts: [Int32(version.changes % 90): 1]),
        sums: GuardSums(
          guardCount: 120, Dictionary(uniqueKeysWithValues: calls.map { ($0, sum) })))
    }
    let states = [
      state(7, calls: [1, 2]), state(6, calls: [1]), state(7, calls: [1, 2]),
      // A ledger can be set back, and counts on.
      state(Self.last, calls: [3]), state(9, calls: [1, 2, 4]),
    ]
    var receipts: [[Int]] = []
    for state in states {
      let receipt = try await store.take(
        PublishedStates(publisher: .test(1), states: [state]), on: Self.today)
      receipts.append([receipt.added, receipt.known])
    }
    #expect(receipts == [[1, 0], [0, 1], [0, 1], [1, 0], [0, 1]])
    let coverage = try #require(try await store.coverage(of: Self.key, in: FleetQuery()))
    #expect(coverage.guards.called.map(\.0) == [3] && coverage.totals.runs == 1)
    let series = try await store.series(of: Self.key, in: FleetQuery())
    #expect(series.map(\.startups.counts) == [[Int32(Self.last.changes % 90): 1]])
    #expect(try await store.size().rows == 1)
    // Also in one message.
    let receipt = try await store.take(
      PublishedStates(
        publisher: .test(2),
        states: [state(2, calls: [5]), state(3, calls: [6]), state(1, calls: [7])]),
      on: Self.today)
    #expect(receipt.added + receipt.known == 3)
    #expect(
      try await store.coverage(of: Self.key, in: FleetQuery())?.guards.called.map(\.0) == [3, 6])
  }

  /// As two machines send that were resumed from one snapshot.
  @Test(arguments: StoreKind.available)
  func ofTwoCopiesOfAPublisherOnlyOneGoesOn(kind: StoreKind) async throws {
    let store = try await kind.make()
    func take(_ version: RowVersion, after follows: RowVersion, runs: Int) async throws -> [Int] {
      let key = StateKey(
        series: SeriesKey(build: Self.key, day: ExampleHosts.day, labels: FleetLabels()),
        guardCount: 120)
      var state = SeriesState(key: key, version: version, name: "server", isExecutable: true)
      (state.follows, state.totals.runs) = (follows, runs)
      let receipt = try await store.take(
        PublishedStates(publisher: .test(1), states: [state]), on: Self.today)
      return [receipt.added, receipt.known, receipt.places(.foreign).count]
    }
    func version(_ changes: UInt64, _ mark: UInt32) -> RowVersion {
      RowVersion(changes: changes, mark: mark)
    }
    #expect(try await take(version(1, 7), after: .none, runs: 1) == [1, 0, 0])
    #expect(try await take(version(3, 8), after: version(1, 7), runs: 3) == [1, 0, 0])
    #expect(try await take(version(3, 8), after: version(1, 7), runs: 3) == [0, 1, 0])
    // The other copy: as many changes, more, and fewer.
    for (changes, mark) in [(3, 9), (5, 9), (2, 9)] as [(UInt64, UInt32)] {
      let other = version(changes, mark)
      #expect(try await take(other, after: version(1, 7), runs: 9) == [0, 0, 1])
    }
    // An earlier state, of a ledger that was copied before.
    #expect(try await take(2, after: .none, runs: 2) == [0, 1, 0])
    // A later one, of a ledger that was copied while it had not sent all; the original goes on.
    #expect(try await take(4, after: .none, runs: 4) == [1, 0, 0])
    #expect(try await take(version(6, 5), after: version(3, 8), runs: 6) == [1, 0, 0])
    let coverage = try #require(try await store.coverage(of: Self.key, in: FleetQuery()))
    #expect(coverage.totals.runs == 6)
  }

  /// Who knows what a row is for cannot write it without its publisher's secret.
  @Test(arguments: StoreKind.available)
  func aForgedRowChangesNothingOfAnother(kind: StoreKind) async throws {
    var hosts = ExampleHosts(seed: 5)
    for number in 0..<12 { try hosts.run(number) }
    let store = try await kind.make()
    var expected = StateOracle()
    try await store.take(hosts.sent, on: Self.today, expecting: &expected)
    for message in hosts.sent.suffix(6) {
      var forged = message
      forged.publisher = .test(99)
      for place in forged.states.indices {
        forged.states[place].version = Self.last
        forged.states[place].totals.runs = 0
        forged.states[place].sums = GuardSums(guardCount: forged.states[place].key.guardCount)
        forged.states[place].callers = [:]
      }
      let receipt = try await store.take(forged, on: Self.today)
      #expect(receipt.added + receipt.known == 1)
      expected.take(forged)
    }
    // It is a row of its own, and the first's publisher goes on.
    try await expected.check(store)
    try hosts.run(12)
    try await store.take(Array(hosts.sent.suffix(4)), on: Self.today, expecting: &expected)
    try await expected.check(store)
  }

  @Test(arguments: StoreKind.available)
  func aPublisherIsToldWhichVersionsAreThere(kind: StoreKind) async throws {
    var hosts = ExampleHosts(seed: 3)
    for number in 0..<20 { try hosts.run(number) }
    let stores = try await kind.make(2)
    var latest: [StateKey: RowVersion] = [:]
    let publisher = PublisherID.test(1)
    for message in hosts.shuffled() {
      _ = try await stores[0].take(message, on: Self.today)
      for state in message.states where message.publisher == publisher {
        latest[state.key] = max(latest[state.key] ?? 0, state.version)
      }
    }
    var rows = latest.map { (key: $0.key, version: RowVersion(changes: $0.value.changes + 1)) }
    var other = rows[0]
    other.key.guardCount += 1
    rows.insert(other, at: 1)
    let expected = rows.map { latest[$0.key] }
    #expect(expected[1] == nil)
    #expect(try await stores[1].versions(of: publisher, rows) == expected)
    #expect(
      try await stores[1].versions(of: .test(77), rows) == Array(repeating: nil, count: rows.count))
    #expect(try await stores[1].versions(of: publisher, []).isEmpty)
    // What is closed need not be sent any more.
    let first = try #require(latest.keys.map(\.day).min())
    _ = try await stores[0].close(before: FleetDay(number: first.number + 1))
    #expect(
      try await stores[1].versions(of: publisher, rows)
        == rows.map { $0.key.day == first ? $0.version : latest[$0.key] })
  }
}
