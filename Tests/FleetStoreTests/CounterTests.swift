import FirstlightModel
import FleetModel
import FleetTestSupport
import Testing

/// The compiler's counters of a build: rows of their own, and part of the build for everybody who asks.
@Suite struct CounterTests {
  private static let today = FleetDay(number: 20_720)
  private static let build = ExampleFleet.program
  private static let key = ExampleFleet.key(build)

  /// A function that the optimizer removed.
  private static let removed = build.functions.filter(\.isUnguarded)[1]

  /// Four records, the third without a place, and a function that the optimizer removed.
  private static var counted: FunctionTable {
    var counted = build
    counted.recorder = .counters
    counted.functions = Array(build.functions[1...4])
    for place in counted.functions.indices {
      counted.functions[place].code = .guarded(UInt32(place))
      counted.functions[place].file = "/src/a.swift"
    }
    counted.functions[2].file = nil
    counted.functions.append(removed)
    counted.guardCount = 4
    return FunctionTable(build: counted, bodies: [])
  }

  private static func states(
    _ publisher: UInt64, runs: Int, counted: Int, called: [UInt32]
  ) -> PublishedStates {
    func state(_ key: BuildKey, guards: Int, runs: Int, _ called: [UInt32]) -> SeriesState {
      var totals = SeriesTotals()
      totals.runs = runs
      let sum = GuardSum(runs: runs, hosts: 1, firstSeen: today.start, lastSeen: today.start)
      return SeriesState(
        key: StateKey(
          series: SeriesKey(build: key, day: today, labels: FleetLabels()), guardCount: guards),
        version: 1, name: "/opt/server", isExecutable: true, totals: totals,
        sums: GuardSums(
          guardCount: guards, guards: called, sums: called.map { _ in sum }))
    }
    return PublishedStates(
      publisher: .test(publisher),
      states: [
        state(key, guards: 300, runs: runs, [7]),
        state(key.counters!, guards: 4, runs: counted, called),
      ])
  }

  private func filled(_ kind: StoreKind) async throws -> any FleetStore {
    let store = try await kind.make()
    _ = try await store.take(Self.states(1, runs: 5, counted: 5, called: [0]), on: Self.today)
    _ = try await store.take(Self.states(2, runs: 3, counted: 2, called: [0, 2]), on: Self.today)
    try await store.register(FunctionTable(build: Self.build, bodies: []))
    try await store.register(Self.counted)
    return store
  }

  @Test(arguments: StoreKind.available)
  func aProfileHasThemBesideTheGuards(kind: StoreKind) async throws {
    let store = try await filled(kind)
    #expect(try await store.builds(FleetQuery(), page: Page()).map(\.key) == [Self.key])
    #expect(try await store.size().builds == 1)
    for _ in 0..<2 {
      let profile = try await store.profile(of: FleetQuery(program: "server"))
      #expect(profile.builds.map(\.build.recorder) == [.guards])
      let counters = profile.builds[0].counters
      #expect(counters.runs == 7 && profile.builds[0].runs == 8)
      let names = Self.build.functions
      let seen = Dictionary(
        uniqueKeysWithValues: counters.functions.map { ($0.name, $0.counted.runs) })
      #expect(
        seen == [
          names[1].name: 7, names[2].name: 0, names[4].name: 0, Self.removed.name: 0,
        ])
      let problems = profile.unlisted.problems.keys.map(\.text).filter {
        $0.contains("counters of 1 run ")
      }
      #expect(problems.count == 1)
      // Also when days are added up.
      _ = try await store.close(before: FleetDay(number: Self.today.number + 1))
    }
    let none = FleetDay(number: 9)...FleetDay(number: 10)
    let other = try await store.profile(of: FleetQuery(days: none))
    #expect(other.builds[0].counters.isEmpty)
  }

  @Test(arguments: StoreKind.available)
  func theyAreForgottenWithTheirBuild(kind: StoreKind) async throws {
    let store = try await filled(kind)
    #expect(try await store.forget(Self.key, by: "a test", on: Self.today))
    for key in [Self.key, Self.key.counters!] {
      #expect(try await store.coverage(of: key, in: FleetQuery()) == nil)
      #expect(try await store.functionTable(of: key) == nil)
    }
    #expect(try await store.droppedBuilds(limit: 5).map(\.build) == [Self.key])
    let receipt = try await store.take(
      Self.states(3, runs: 1, counted: 1, called: [1]), on: Self.today)
    #expect(receipt.places(.refused) == [0, 1])
  }

  @Test(arguments: StoreKind.available)
  func withoutNamesTheyListNothing(kind: StoreKind) async throws {
    let store = try await kind.make()
    _ = try await store.take(Self.states(1, runs: 5, counted: 5, called: [0]), on: Self.today)
    try await store.register(FunctionTable(build: Self.build, bodies: []))
    let profile = try await store.profile(of: FleetQuery())
    #expect(profile.builds[0].counters.isEmpty)
    #expect(
      profile.unlisted.problems.keys.map(\.text).contains { $0.contains("have no names yet") })
    #expect(
      try await store.unnamed(among: nil, after: nil, limit: 9).map(\.key) == [Self.key.counters!])
  }
}
