import FirstlightModel
import FleetModel
import FleetTestSupport
import Testing

/// Builds that somebody wants gone.
@Suite struct ForgettingTests {
  private static let today = ExampleHosts.today
  private static let key = ExampleHosts.program

  @Test(arguments: StoreKind.available)
  func aForgottenBuildIsGoneWhateverItsHostsSendAgain(kind: StoreKind) async throws {
    var hosts = ExampleHosts(seed: 5)
    for number in 0..<20 { try hosts.run(number) }
    let stores = try await kind.make(2)
    var expected = StateOracle()
    try await stores[0].take(hosts.sent, on: Self.today, expecting: &expected)
    #expect(try await stores[0].forget(Self.key, by: "a test", on: Self.today))
    #expect(try await !stores[1].forget(Self.key, by: "a test", on: Self.today))
    expected.remove { $0.key.build == Self.key }
    let left = [ExampleHosts.library: 50]
    for message in hosts.shuffled() {
      let receipt = try await stores[1].take(message, on: Self.today)
      let refused = message.states.indices.filter { message.states[$0].key.build == Self.key }
      #expect(receipt.places(.refused) == refused)
      let reasons = receipt.refusals.values.compactMap(\.reason)
      #expect(reasons.filter { $0.hasSuffix(" by fleet forget") }.count == refused.count)
      #expect(receipt.added == 0 && receipt.samples == 0)
    }
    for store in stores {
      #expect(try await store.coverage(of: Self.key, in: FleetQuery()) == nil)
      #expect(try await store.functionTable(of: Self.key) == nil)
      #expect(try await store.series(of: Self.key, in: FleetQuery()).isEmpty)
      #expect(try await store.traces(of: Self.key).isEmpty)
      #expect(
        try await store.builds(FleetQuery(), page: Page()).map(\.key) == [ExampleHosts.library])
      try await expected.check(store, guards: left)
      #expect(
        try await store.droppedBuilds(limit: 5) == [
          DroppedEvidence(
            build: Self.key, program: "server", before: FleetDay(number: Self.today.number + 1),
            reason: "fleet forget")
        ])
    }
  }

  @Test(arguments: StoreKind.available)
  func itComesBackWithRowsOfLaterDays(kind: StoreKind) async throws {
    let store = try await kind.make()
    var hosts = ExampleHosts(seed: 5)
    try hosts.run(0)
    for message in hosts.sent { _ = try await store.take(message, on: Self.today) }
    #expect(try await store.forget(Self.key, by: "a test", on: Self.today))
    let tomorrow = FleetDay(number: Self.today.number + 1)
    var state = try #require(hosts.sent.flatMap(\.states).first { $0.key.build == Self.key })
    state.key.series.day = tomorrow
    state.callers = [:]
    let receipt = try await store.take(
      PublishedStates(publisher: .test(1), states: [state]), on: tomorrow)
    #expect(receipt.added == 1)
    let coverage = try #require(try await store.coverage(of: Self.key, in: FleetQuery()))
    #expect(coverage.totals == state.totals && coverage.callers.isEmpty)
    let build = try #require(
      try await store.builds(FleetQuery(buildID: "aaaa"), page: Page()).first)
    #expect(build.dropped?.reason == "fleet forget" && build.dropped?.before == tomorrow)
    #expect(build.days == tomorrow...tomorrow)
    #expect(try await store.droppedBuilds(limit: 5).isEmpty)
  }

  /// They count again as soon as they are new: their day says nothing.
  @Test(arguments: StoreKind.available)
  func undatedRowsComeBackWithWhatIsNew(kind: StoreKind) async throws {
    let store = try await kind.make()
    let key = StateKey(
      series: SeriesKey(build: Self.key, day: .undated, labels: FleetLabels()), guardCount: 9)
    let tomorrow = FleetDay(number: Self.today.number + 1)
    func take(_ version: RowVersion, after follows: RowVersion = .none, on day: FleetDay)
      async throws -> StateReceipt
    {
      var state = SeriesState(key: key, version: version, name: "server", isExecutable: true)
      (state.follows, state.totals.runs) = (follows, 1)
      return try await store.take(
        PublishedStates(publisher: .test(1), states: [state]), on: day)
    }
    let old = RowVersion(changes: 1, mark: 1)
    #expect(try await take(old, on: Self.today).added == 1)
    #expect(try await store.forget(Self.key, by: "a test", on: Self.today))
    #expect(try await take(2, on: Self.today).places(.refused).count == 1)
    // It would bring back what was removed, and is not missed.
    #expect(
      try await take(RowVersion(changes: 2, mark: 2), after: old, on: tomorrow)
        .places(.removed) == [0])
    #expect(try await store.versions(of: .test(1), [(key, old)]) == [old])
    #expect(try await take(RowVersion(changes: 3, mark: 3), on: tomorrow).added == 1)
    #expect(try await store.coverage(of: Self.key, in: FleetQuery())?.totals.runs == 1)
  }

  @Test(arguments: StoreKind.available)
  func sumsOfClosedDaysGoToo(kind: StoreKind) async throws {
    let store = try await kind.make()
    var hosts = ExampleHosts(seed: 6)
    for number in 0..<9 { try hosts.run(number) }
    for message in hosts.sent { _ = try await store.take(message, on: Self.today) }
    #expect(try await store.close(before: Self.today) > 0)
    for key in [Self.key, ExampleHosts.library] {
      #expect(try await store.forget(key, by: "a test", on: Self.today))
    }
    #expect(try await store.size() == StoreSize())
  }
}
