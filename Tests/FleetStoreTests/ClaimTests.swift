import FirstlightModel
import FleetModel
import FleetTestSupport
import Testing

/// Builds of which rows say different things.
@Suite struct ClaimTests {
  private static let today = FleetDay(number: 20_720)
  private static let key = ExampleFleet.key(ExampleFleet.program)

  /// One run on a host of its own.
  private static func run(
    _ publisher: UInt64, guards: Int = 300, calls: [UInt32], runs: Int = 1, version: RowVersion = 1
  ) -> PublishedStates {
    let sum = GuardSum(runs: runs, hosts: 0, firstSeen: today.start, lastSeen: today.start)
    var totals = SeriesTotals()
    (totals.runs, totals.programRuns) = (runs, runs)
    let state = SeriesState(
      key: StateKey(
        series: SeriesKey(build: key, day: today, labels: FleetLabels()), guardCount: guards),
      version: version, name: "server", isExecutable: true, totals: totals,
      sums: GuardSums(
        guardCount: guards, Dictionary(uniqueKeysWithValues: calls.map { ($0, sum) })),
      callers: [calls[0]: publisher + 1])
    return PublishedStates(publisher: .test(publisher), states: [state])
  }

  @Test(arguments: StoreKind.available)
  func aForgedRowIsOutvoted(kind: StoreKind) async throws {
    let store = try await kind.make()
    #expect(try await store.take(Self.run(0, guards: 299, calls: [1]), on: Self.today).added == 1)
    #expect(try await store.coverage(of: Self.key, in: FleetQuery())?.guards.count == 299)
    for publisher in 1...3 as ClosedRange<UInt64> {
      _ = try await store.take(Self.run(publisher, calls: [2]), on: Self.today)
    }
    for _ in 0..<2 {
      let coverage = try #require(try await store.coverage(of: Self.key, in: FleetQuery()))
      #expect(coverage.guards.count == 300 && coverage.guards[1...2].map(\.runs) == [0, 3])
      #expect(coverage.callers == [2: 2])
      let builds = try await store.builds(FleetQuery(), page: Page())
      #expect(builds.map(\.guardCount) == [300] && builds[0].totals.runs == 3)
      #expect(try await store.series(of: Self.key, in: FleetQuery()).map(\.totals.runs) == [3])
      #expect(try await store.size().builds == 1)
      // Also when they are added up.
      _ = try await store.close(before: FleetDay(number: Self.today.number + 1))
    }
  }

  /// Claims of as many runs as others are told apart the same way whoever came first.
  @Test(arguments: StoreKind.available)
  func whoComesFirstDoesNotMatter(kind: StoreKind) async throws {
    let runs = [Self.run(1, guards: 299, calls: [1]), Self.run(2, guards: 300, calls: [2])]
    var answers: Set<Int?> = []
    for order in [runs, runs.reversed()] {
      let store = try await kind.make()
      for run in order { _ = try await store.take(run, on: Self.today) }
      answers.insert(try await store.coverage(of: Self.key, in: FleetQuery())?.guards.count)
    }
    #expect(answers.count == 1)
  }

  /// Which claim is true can change as rows grow.
  @Test(arguments: StoreKind.available)
  func theTruthFollowsTheRuns(kind: StoreKind) async throws {
    let store = try await kind.make()
    _ = try await store.take(Self.run(1, guards: 299, calls: [1], runs: 5), on: Self.today)
    for (version, runs) in [(1, 4), (2, 6)] {
      _ = try await store.take(
        Self.run(2, calls: [2], runs: runs, version: RowVersion(changes: UInt64(version))),
        on: Self.today)
      let count = try await store.coverage(of: Self.key, in: FleetQuery())?.guards.count
      #expect(count == (runs < 5 ? 299 : 300))
    }
  }

  @Test(arguments: StoreKind.available)
  func whatABinaryShowsIsTrue(kind: StoreKind) async throws {
    let store = try await kind.make()
    for publisher in 1...3 as ClosedRange<UInt64> {
      _ = try await store.take(Self.run(publisher, guards: 299, calls: [1]), on: Self.today)
    }
    _ = try await store.take(Self.run(4, calls: [2]), on: Self.today)
    let table = FunctionTable(build: ExampleFleet.program, bodies: [])
    await #expect(throws: Failure.self) { try await store.register(table, proof: .found) }
    try await store.register(table)
    let coverage = try #require(try await store.coverage(of: Self.key, in: FleetQuery()))
    #expect(coverage.guards.count == 300 && coverage.guards[2].runs == 1)
    #expect(try await store.functionTable(of: Self.key)?.build.guardCount == 300)
    let profile = try await store.profile(of: FleetQuery())
    #expect(profile.builds.map(\.runs) == [1])
  }

  /// A row of a hundred bytes can say that its build has 2^26 guards.
  @Test(arguments: StoreKind.available)
  func whatABuildClaimsIsNoAnswerWithoutABinary(kind: StoreKind) async throws {
    let store = try await kind.make()
    let claiming = Self.run(1, guards: 1 << 26, calls: [1, 67_108_862])
    #expect(try await store.take(claiming, on: Self.today).added == 1)
    for _ in 0..<2 {
      let coverage = try #require(try await store.coverage(of: Self.key, in: FleetQuery()))
      #expect(coverage.guards.count == 1 << 26)
      #expect(coverage.guards.called.map(\.0) == [1, 67_108_862])
      _ = try await store.close(before: FleetDay(number: Self.today.number + 1))
    }
    let failure = await #expect(throws: Failure.self) {
      try await store.profile(of: FleetQuery())
    }
    #expect(failure?.problem.contains("no binary confirms them") == true)
  }
}
