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

  /// A sender can make up numbers of guards without end; each question looks at all of them.
  @Test(arguments: StoreKind.available)
  func aBuildHasRoomForFewClaims(kind: StoreKind) async throws {
    let store = try await kind.make()
    let limit = TraceLimits.claims
    _ = try await store.take(Self.run(0, guards: 250, calls: [1], runs: 2), on: Self.today)
    for guards in 10..<10 + limit - 1 {
      let forged = Self.run(UInt64(guards), guards: guards, calls: [1])
      #expect(try await store.take(forged, on: Self.today).added == 1)
    }
    func contest() async throws -> String? {
      try await store.builds(FleetQuery(), page: Page())[0].contest
    }
    #expect(try await contest()?.contains("claim \(limit) numbers of functions") == true)
    let more = try await store.take(Self.run(90, calls: [2]), on: Self.today)
    #expect(more.places(.crowded) == [0] && more.added == 0)
    var sample = Self.run(91, calls: [2])
    sample.samples = [Self.trace(guards: 300)]
    #expect(try await store.take(sample, on: Self.today).samples == 0)
    // Rows with claims that are there are taken as before.
    #expect(try await store.take(Self.run(92, guards: 250, calls: [3]), on: Self.today).added == 1)
    #expect(try await store.coverage(of: Self.key, in: FleetQuery())?.totals.runs == 3)
    #expect(
      try await store.profile(of: FleetQuery()).unlisted.problems.keys.map(\.text).contains {
        $0.hasSuffix("(register its binary with upload-symbols)")
      })
    // The binary's number always has room.
    try await store.register(FunctionTable(build: ExampleFleet.program, bodies: []))
    #expect(try await store.take(sample, on: Self.today).added == 1)
    #expect(try await store.take(Self.run(90, calls: [2]), on: Self.today).added == 1)
    #expect(try await store.coverage(of: Self.key, in: FleetQuery())?.guards[2].runs == 2)
    #expect(try await store.traces(of: Self.key).count == 1)
  }

  private static func trace(guards: Int) -> FleetTrace {
    let process = ObservedProcess(
      run: "1", process: "1", forkedFrom: nil, root: "1", host: "host", startedAt: today.start,
      seconds: 1, readyAfter: nil, losses: Losses(),
      images: [.init(build: key, name: "server", isExecutable: true, guardCount: guards)],
      calls: [RecordedCall(build: 0, guardIndex: 2, thread: 1, time: 5)], callers: [])
    return FleetTrace(process, labels: FleetLabels(), seconds: 1)!
  }

  /// Sums of forged rows end at a limit, the same in each store.
  @Test(arguments: StoreKind.available)
  func sumsDoNotGoOnFromZero(kind: StoreKind) async throws {
    let store = try await kind.make()
    for publisher in 1...5 as ClosedRange<UInt64> {
      var forged = Self.run(publisher, calls: [1], runs: .max / 2)
      forged.states[0].totals.drops = .max / 2
      forged.states[0].totals.seconds = 1e15
      _ = try await store.take(forged, on: Self.today)
    }
    let build = try #require(try await store.builds(FleetQuery(), page: Page()).first)
    #expect(build.totals.runs == TraceLimits.sum && build.totals.drops == TraceLimits.sum)
    #expect(abs(build.totals.seconds - 5e15) < 1)
    #expect(try await store.coverage(of: Self.key, in: FleetQuery())?.guards[1].runs ?? 0 > 1 << 42)
    #expect(try await store.profile(of: FleetQuery()).builds.count == 1)
  }

  @Test(arguments: StoreKind.available)
  func aListNamesFewVersionsOfABuild(kind: StoreKind) async throws {
    let store = try await kind.make()
    let count = TraceLimits.versions + 3
    let rows = try (0..<count).map { number in
      var row = Self.run(1, calls: [1], runs: number == 1 ? 1000 : 100 + number).states[0]
      row.key.series.labels = try FleetLabels(["version": "v\(10 + number)"])
      return row
    }
    _ = try await store.take(
      PublishedStates(publisher: .test(1), states: rows), on: Self.today)
    for _ in 0..<2 {
      let versions = try await store.builds(FleetQuery(), page: Page())[0].versions
      let most = [1] + (4..<count)
      #expect(versions == BuildVersions(most.map { "v\(10 + $0)" }, of: count))
      #expect(versions.text.hasPrefix("v11, v14, ") && versions.text.hasSuffix(" and 3 more"))
      // All of them select builds.
      #expect(try await store.builds(FleetQuery(version: "v10"), page: Page()).count == 1)
      #expect(try await store.builds(FleetQuery(version: "v9"), page: Page()).isEmpty)
      _ = try await store.close(before: FleetDay(number: Self.today.number + 1))
    }
    // A newer row of a version counts once.
    let next = FleetDay(number: Self.today.number + 1)
    for version in 1...2 as ClosedRange<UInt64> {
      var row = Self.run(1, calls: [1], runs: 5000, version: RowVersion(changes: version)).states[0]
      row.key.series = SeriesKey(
        build: Self.key, day: next, labels: try FleetLabels(["version": "v10"]))
      _ = try await store.take(PublishedStates(publisher: .test(1), states: [row]), on: next)
    }
    let build = try await store.builds(FleetQuery(), page: Page())[0]
    #expect(build.versions.listed.first == "v10" && build.versions.more == 3)
    #expect(build.totals.runs == rows.reduce(5000) { $0 + $1.totals.runs })
  }

  @Test(arguments: StoreKind.available)
  func buildsWithoutNamesAreFound(kind: StoreKind) async throws {
    let store = try await kind.make()
    let ids = ["aaaa", "bb", "cc", "dd"]
    for (place, id) in ids.enumerated() {
      var row = Self.run(UInt64(place), calls: [1])
      row.states[0].key.series.build = BuildKey(buildID: BuildID(id)!)
      row.states[0].names = ImageNames("/opt/\(id)", runs: 1)
      _ = try await store.take(row, on: Self.today)
    }
    func unnamed(
      among: [String]? = nil, after: String? = nil, limit: Int = 10
    ) async throws -> [String] {
      try await store.unnamed(
        among: among.map { Set($0.map { BuildKey(buildID: BuildID($0)!) }) },
        after: after.map { BuildKey(buildID: BuildID($0)!) }, limit: limit
      ).map { "\($0.key.buildID) \($0.names.paths) \($0.guardCount)" }
    }
    #expect(Self.key.buildID.description == "aaaa")
    try await store.register(FunctionTable(build: ExampleFleet.program, bodies: []))
    let all = ids.dropFirst().map { "\($0) [\"/opt/\($0)\"] 300" }
    #expect(try await unnamed() == all)
    #expect(try await unnamed(after: "bb", limit: 1) == [all[1]])
    #expect(try await unnamed(among: ["aaaa", "dd", "ee"]) == [all[2]])
    #expect(try await unnamed(among: []).isEmpty)
    let failure = ReadFailure(file: "1:2", reason: "timed out", attempts: 1, at: 5)
    try await store.note(failure, of: BuildKey(buildID: BuildID("cc")!))
    let found = try await store.unnamed(among: nil, after: nil, limit: 10)
    #expect(found.map(\.readFailure) == [nil, failure, nil])
  }

  /// A build whose id is just what lists show of another one's.
  @Test(arguments: StoreKind.available)
  func aShortFormSelectsAllBuildsThatBeginWithIt(kind: StoreKind) async throws {
    let store = try await kind.make()
    let whole = "4f2a91c0d3e5aabbccddeeff0011223344556677"
    let ids = [whole, String(whole.prefix(12)), whole + "00", "4f2b"]
    for (place, id) in ids.enumerated() {
      var row = Self.run(UInt64(place), calls: [1])
      row.states[0].key.series.build = BuildKey(buildID: BuildID(id)!)
      _ = try await store.take(row, on: Self.today)
    }
    func selected(_ digits: String) async throws -> Set<String> {
      let builds = try await store.builds(FleetQuery(buildID: digits), page: Page())
      return Set(builds.map(\.key.buildID.description))
    }
    #expect(try await selected(ids[1]) == Set(ids.prefix(3)))
    #expect(try await selected(whole) == [whole])
    #expect(try await selected(whole + "0") == [whole + "00"])
    #expect(try await selected("4f2b") == ["4f2b"])
    #expect(try await selected("4f2") == Set(ids))
  }
}
