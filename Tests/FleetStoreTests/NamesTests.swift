import FirstlightModel
import FleetModel
import FleetTestSupport
import Testing

/// Builds that run under several names, and files that claim to be of one build.
@Suite struct NamesTests {
  private static let today = FleetDay(number: 20_720)
  private static let key = ExampleFleet.key(ExampleFleet.program)

  private static func row(
    _ publisher: UInt64, _ names: [(String, Int)], version: RowVersion = 1
  ) -> PublishedStates {
    var totals = SeriesTotals()
    totals.runs = names.reduce(0) { $0 + $1.1 }
    var state = SeriesState(
      key: StateKey(
        series: SeriesKey(build: key, day: today, labels: FleetLabels()), guardCount: 300),
      version: version, name: "", isExecutable: true, totals: totals)
    for (name, runs) in names { state.names.add(name, runs: runs) }
    return PublishedStates(publisher: .test(publisher), states: [state])
  }

  private func names(_ store: any FleetStore, _ program: String? = nil) async throws -> [String] {
    let builds = try await store.builds(FleetQuery(program: program), page: Page())
    return builds.flatMap(\.names.sorted)
  }

  /// The copy under another name is the same build, and takes no name away.
  @Test(arguments: StoreKind.available)
  func eachNameAnswers(kind: StoreKind) async throws {
    let store = try await kind.make()
    _ = try await store.take(Self.row(1, [("prog", 3), ("debug-copy", 1)]), on: Self.today)
    _ = try await store.take(Self.row(2, [("aaa", 0)]), on: Self.today)
    for _ in 0..<2 {
      for name in [nil, "prog", "debug-copy", "aaa"] {
        #expect(try await names(store, name) == ["prog", "debug-copy", "aaa"])
      }
      #expect(try await names(store, "a").isEmpty)
      // Also when they are added up.
      _ = try await store.close(before: FleetDay(number: Self.today.number + 1))
    }
  }

  @Test(arguments: StoreKind.available)
  func aNewVersionOfARowReplacesItsNames(kind: StoreKind) async throws {
    let store = try await kind.make()
    _ = try await store.take(Self.row(1, [("prog", 3)]), on: Self.today)
    for version in 1...3 as ClosedRange<UInt64> {
      let row = Self.row(2, [("other", Int(version))], version: RowVersion(changes: version))
      for _ in 0..<2 { _ = try await store.take(row, on: Self.today) }
    }
    #expect(try await names(store) == ["other", "prog"])
    let builds = try await store.builds(FleetQuery(), page: Page())
    #expect(builds[0].names.uses.mapValues(\.runs) == ["other": 3, "prog": 3])
  }

  private static func table(swapped: Bool = false, guards: Int = 300) -> FunctionTable {
    var build = ExampleFleet.build(
      "aaaa", path: swapped ? "forged" : "server", kind: .executable, guards: guards)
    if swapped {
      build.functions.swapAt(3, 4)
      for place in [3, 4] { build.functions[place].code = .guarded(UInt32(place)) }
    }
    return FunctionTable(build: build, bodies: [])
  }

  @Test(arguments: StoreKind.available)
  func theFirstContradictionIsKept(kind: StoreKind) async throws {
    let store = try await kind.make()
    _ = try await store.take(Self.row(1, [("prog", 3)]), on: Self.today)
    func function() async throws -> String? {
      try await store.functionTable(of: Self.key)?.build.functions[3].name
    }
    func contradiction() async throws -> String? {
      try await store.builds(FleetQuery(), page: Page())[0].contradiction?.reason
    }
    try await store.register(Self.table())
    #expect(try await contradiction() == nil)
    let swapped = Self.table(swapped: true)
    for proof in [TableProof.found, .sent] {
      await #expect(throws: Failure.self) { try await store.register(swapped, proof: proof) }
      #expect(try await function() == "aaaa_3")
    }
    let more = Self.table(guards: 301)
    await #expect(throws: Failure.self) { try await store.register(more, proof: .sent) }
    #expect(try await store.builds(FleetQuery(), page: Page())[0].guardCount == 300)
    let first = try #require(try await contradiction())
    #expect(first.hasPrefix("forged contradicts the functions of this build"))
    // An administrator says which file it was.
    #expect(try await store.register(swapped, proof: .chosen)?.contains("replaced") == true)
    #expect(try await function() == "aaaa_4")
    #expect(try await store.register(Self.table(), proof: .chosen) != nil)
    #expect(try await function() == "aaaa_3")
    #expect(try await contradiction() == first)
    #expect(try await names(store).contains("server"))
    _ = try await store.forget(Self.key, by: "test", on: Self.today)
    _ = try await store.take(
      Self.row(3, [("prog", 1)], version: 9), on: FleetDay(number: Self.today.number + 1))
    try await store.register(Self.table(), proof: .found)
    #expect(try await contradiction() == nil)
  }
}
