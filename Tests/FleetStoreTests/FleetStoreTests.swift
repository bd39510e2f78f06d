import FirstlightModel
import FleetModel
import Testing

/// What every store has to do.
@Suite struct FleetStoreTests {
  private static let today = FleetDay(number: 20_000)
  private static let key = ExampleFleet.key(ExampleFleet.program)

  @Test(arguments: StoreKind.available)
  func anEmptyStoreAnswers(kind: StoreKind) async throws {
    let store = try await kind.make()
    #expect(try await store.builds(BuildFilter(), page: Page()).isEmpty)
    #expect(try await store.coverage(of: Self.key, in: SeriesFilter()) == nil)
    #expect(try await store.series(of: Self.key, in: SeriesFilter()).isEmpty)
    #expect(try await store.traces(of: Self.key).isEmpty)
    #expect(try await store.functionTable(of: Self.key) == nil)
    #expect(try await store.size() == StoreSize())
    #expect(try await store.ingest([], on: Self.today) == IngestReceipt())
    // Once more changes nothing.
    try await store.prepare()
  }

  @Test(arguments: StoreKind.available)
  func aTraceThatComesAgainChangesNothing(kind: StoreKind) async throws {
    let store = try await kind.make()
    let trace = trace("1", calls: [3, 1, 2])
    let first = try await store.ingest([trace, trace], on: Self.today)
    #expect(first.added == 1 && first.known == 1)
    let before = try await store.coverage(of: Self.key, in: SeriesFilter())
    let again = try await store.ingest([trace], on: FleetDay(number: 20_001))
    #expect(again.added == 0 && again.known == 1)
    #expect(try await store.coverage(of: Self.key, in: SeriesFilter()) == before)
    #expect(before?.guards[1].runs == 1)
    #expect(try await store.traces(of: Self.key) == [trace])
  }

  @Test func aForgedReportIsOutvoted() async throws {
    let store = try await StoreKind.sqlite.make()
    var forged = trace("forged", calls: [1])
    forged.images[0].guardCount = 299
    var mixed = trace("mixed", calls: [1])
    mixed.images.append(forged.images[0])
    let first = try await store.ingest([forged, mixed], on: Self.today)
    #expect(first.added == 1 && first.refused.map(\.id) == [mixed.id])
    #expect(first.refused.first?.reason.contains("299 guards") == true)
    #expect(try await store.coverage(of: Self.key, in: SeriesFilter())?.guards.count == 299)
    // In one batch with what others say.
    forged.id = TraceID(high: 1, low: 1)
    let traces = (1...3).map { trace("\($0)", calls: [2]) }
    #expect(try await store.ingest([forged] + traces, on: Self.today).added == 4)
    let coverage = try #require(try await store.coverage(of: Self.key, in: SeriesFilter()))
    #expect(coverage.guards.count == 300 && coverage.guards[1...2].map(\.runs) == [0, 3])
    let builds = try await store.builds(BuildFilter(), page: Page())
    #expect(builds.map(\.guardCount) == [300] && builds[0].totals.runs == 3)
    #expect(Set(try await store.traces(of: Self.key).map(\.id)) == Set(traces.map(\.id)))
    #expect(try await store.size().builds == 1)
    #expect(try await store.ingest([forged], on: Self.today).known == 1)
  }

  @Test func whatABinaryShowsIsTrue() async throws {
    let store = try await StoreKind.sqlite.make()
    let forged = (1...3).map { number in
      var trace = trace("forged \(number)", calls: [1])
      trace.images[0].guardCount = 299
      return trace
    }
    _ = try await store.ingest(forged + [trace("1", calls: [2])], on: Self.today)
    let table = FunctionTable(build: ExampleFleet.program, bodies: [])
    await #expect(throws: Failure.self) { try await store.register(table, isTrusted: false) }
    try await store.register(table)
    let coverage = try #require(try await store.coverage(of: Self.key, in: SeriesFilter()))
    #expect(coverage.guards.count == 300 && coverage.guards[2].runs == 1)
    #expect(try await store.functionTable(of: Self.key)?.build.guardCount == 300)
    #expect(try await store.profile(of: FleetSelection()).processes.count == 1)
  }

  /// A trace of a hundred bytes can say that its build has 2^26 guards.
  @Test(arguments: StoreKind.available)
  func whatABuildClaimsIsNoAnswerWithoutABinary(kind: StoreKind) async throws {
    let store = try await kind.make()
    var claiming = trace("1", calls: [1, 67_108_863 - 1])
    claiming.images[0].guardCount = 1 << 26
    claiming.images[0].seen = [SeenGuards(time: 1_790_000_000, guards: [1, 67_108_862])]
    #expect(try await store.ingest([claiming], on: Self.today).added == 1)
    let coverage = try #require(try await store.coverage(of: Self.key, in: SeriesFilter()))
    #expect(coverage.guards.count == 1 << 26)
    #expect(coverage.guards.called.map(\.0) == [1, 67_108_862])
    let failure = await #expect(throws: Failure.self) {
      try await store.profile(of: FleetSelection())
    }
    #expect(failure?.problem.contains("no binary confirms them") == true)
  }

  @Test(arguments: StoreKind.available)
  func numbersAtTheirLimitsStayReadable(kind: StoreKind) async throws {
    let store = try await kind.make()
    let traces = (0..<200).map { number in
      var trace = trace("\(number)", calls: [1], at: 9.9e10)
      trace.seconds = 9.9e10
      trace.readyAfter = 9.9e10
      let most = Int(UInt32.max)
      trace.losses = Losses(
        drops: most, uncommitted: most, lostImages: most, unreadableSegments: most)
      return trace
    }
    #expect(try await store.ingest(traces, on: Self.today).added == 200)
    let build = try #require(try await store.builds(BuildFilter(), page: Page()).first)
    #expect(build.totals.processes == 200 && build.totals.drops == 200 * Int(UInt32.max))
    #expect(try await store.series(of: Self.key, in: SeriesFilter())[0].startups.total == 200)
  }

  @Test(arguments: StoreKind.available)
  func daysOfTracesAreKnown(kind: StoreKind) async throws {
    let store = try await kind.make()
    for (number, day) in [20_000, 20_001, 20_400].enumerated() {
      _ = try await store.ingest(
        [trace("\(number)", calls: [1])], on: FleetDay(number: Int32(day)))
    }
    func days() async throws -> [Int32] { try await store.traceDays().map(\.number).sorted() }
    #expect(try await days() == [20_000, 20_001, 20_400])
    try await store.forgetTraces(before: FleetDay(number: 20_001))
    #expect(try await days() == [20_001, 20_400])
    // Going back brings no trace back, but keeps those that come.
    try await store.forgetTraces(before: FleetDay(number: 0))
    _ = try await store.ingest([trace("9", calls: [1])], on: FleetDay(number: 3))
    #expect(try await days().contains(3))
  }

  @Test(arguments: StoreKind.available)
  func aForgottenBuildIsGoneAndNotCountedAgain(kind: StoreKind) async throws {
    let store = try await kind.make()
    let run = try {
      var fleet = ExampleFleet(seed: 5)
      return try fleet.run(1).fleetTraces(labels: FleetLabels())
    }()
    _ = try await store.ingest(run, on: Self.today)
    try await store.register(FunctionTable(build: ExampleFleet.program, bodies: []))
    #expect(try await store.forget(Self.key, by: "a test"))
    #expect(try await !store.forget(Self.key, by: "a test"))
    #expect(try await store.coverage(of: Self.key, in: SeriesFilter()) == nil)
    #expect(try await store.functionTable(of: Self.key) == nil)
    #expect(try await store.builds(BuildFilter(), page: Page()).map(\.program) == ["libb.so"])
    #expect(try await store.ingest(run, on: Self.today).known == run.count)
    #expect(try await store.coverage(of: Self.key, in: SeriesFilter()) == nil)
    #expect(try await store.ingest([trace("new", calls: [1])], on: Self.today).added == 1)
    #expect(try await store.coverage(of: Self.key, in: SeriesFilter())?.guards[1].runs == 1)
  }

  @Test(arguments: StoreKind.available)
  func functionTablesAreKeptAndOnlyReplacedByBetter(kind: StoreKind) async throws {
    let store = try await kind.make()
    var stripped = ExampleFleet.program
    stripped.hasSymbols = false
    for index in stripped.functions.indices { stripped.functions[index].name = "" }
    try await store.register(FunctionTable(build: stripped, bodies: []))
    let bodies = [CodeBody(address: 0x9000, size: 32, name: "bodyTm")]
    try await store.register(FunctionTable(build: ExampleFleet.program, bodies: bodies))
    try await store.register(FunctionTable(build: stripped, bodies: []))
    let table = try #require(try await store.functionTable(of: Self.key))
    #expect(table.build.functions == ExampleFleet.program.functions)
    #expect(table.build.entryGuards == ExampleFleet.program.entryGuards)
    #expect(table.build.architecture == "x86_64")
    #expect(table.bodies == bodies)
    let known = try await store.builds(BuildFilter(), page: Page())
    #expect(known.map(\.hasFunctions) == [true])
  }

  @Test(arguments: StoreKind.available)
  func aTableOfAnotherFileIsRefused(kind: StoreKind) async throws {
    let store = try await kind.make()
    _ = try await store.ingest([trace("1", calls: [1])], on: Self.today)
    let other = ExampleFleet.build("aaaa", path: "/x", kind: .executable, guards: 10)
    await #expect(throws: Failure.self) {
      try await store.register(FunctionTable(build: other, bodies: []), isTrusted: false)
    }
    let none = ExampleFleet.build("aaaa", path: "/x", kind: .executable, guards: 0)
    await #expect(throws: Failure.self) {
      try await store.register(FunctionTable(build: none, bodies: []))
    }
  }

  /// Also one that other ids begin with, and one that two recorders report.
  @Test(arguments: StoreKind.available)
  func aWholeBuildIDNamesNoOther(kind: StoreKind) async throws {
    let store = try await kind.make()
    let keys = [("c1", Recorder.guards), ("c1", .breakpoints), ("c12", .guards), ("c123", .guards)]
    for (id, recorder) in keys {
      var trace = trace("\(id) \(recorder)", calls: [1])
      trace.images[0].build = BuildKey(buildID: BuildID(id)!, recorder: recorder)
      _ = try await store.ingest([trace], on: Self.today)
    }
    func ids(_ id: String, _ recorder: Recorder? = nil) async throws -> [String] {
      try await store.builds(BuildFilter(buildID: id, recorder: recorder), page: Page()).map {
        "\($0.key.buildID) \($0.key.recorder)"
      }
    }
    #expect(try await ids("c1") == ["c1 breakpoints", "c1 guards"])
    #expect(try await ids("c1", .guards) == ["c1 guards"])
    #expect(try await ids("c12") == ["c12 guards"])
    #expect(try await ids("c12", .breakpoints).isEmpty)
    #expect(
      try await ids("c") == ["c1 breakpoints", "c1 guards", "c12 guards", "c123 guards"])
    #expect(try await ids("c", .breakpoints) == ["c1 breakpoints"])
  }

  @Test(arguments: StoreKind.available)
  func buildsAreListedByProgramInPages(kind: StoreKind) async throws {
    let store = try await kind.make()
    for (id, name) in [("c1", "zeta"), ("c2", "alpha"), ("c3", "alpha"), ("c4", "beta")] {
      var trace = trace(id, calls: [1], labels: ["version": "v\(id)"])
      trace.images[0].build = BuildKey(buildID: BuildID(id)!)
      trace.images[0].name = "/usr/bin/\(name)"
      _ = try await store.ingest([trace], on: Self.today)
    }
    var seen: [String] = []
    var page = Page(limit: 3)
    while true {
      let part = try await store.builds(BuildFilter(), page: page)
      seen += part.map { "\($0.program) \($0.key.buildID)" }
      guard part.count == 3, let last = part.last else { break }
      page.after = PagePosition(program: last.program, build: last.key)
    }
    #expect(seen == ["alpha c2", "alpha c3", "beta c4", "zeta c1"])
    func ids(_ filter: BuildFilter) async throws -> [String] {
      try await store.builds(filter, page: Page()).map(\.key.buildID.description)
    }
    #expect(try await ids(BuildFilter(program: "alpha")) == ["c2", "c3"])
    #expect(try await ids(BuildFilter(buildID: "c4")) == ["c4"])
    #expect(try await ids(BuildFilter(program: "alpha", version: "vc3")) == ["c3"])
    #expect(try await ids(BuildFilter(buildID: "c%")).isEmpty)
    let build = try #require(
      try await store.builds(BuildFilter(program: "beta"), page: Page()).first)
    #expect(build.path == "/usr/bin/beta")
    #expect(build.versions == ["vc4"])
    #expect(build.totals.programRuns == 1)
    #expect(build.isExecutable && !build.hasFunctions)
  }

  @Test(arguments: StoreKind.available)
  func seriesAreToldApartByDayVersionAndLabels(kind: StoreKind) async throws {
    let store = try await kind.make()
    let day = FleetDay("2026-09-21")!
    let next = FleetDay(number: day.number + 1)
    let traces = [
      trace("1", calls: [1], at: day.start + 100, labels: ["version": "1", "region": "eu"]),
      trace("2", calls: [1, 2], at: day.start + 200, labels: ["version": "1", "region": "us"]),
      trace("3", calls: [1], at: next.start + 100, labels: ["version": "2", "region": "eu"]),
    ]
    _ = try await store.ingest(traces, on: Self.today)
    func runs(_ filter: SeriesFilter) async throws -> [Int]? {
      try await store.coverage(of: Self.key, in: filter)?.guards[1...2].map(\.runs)
    }
    #expect(try await runs(SeriesFilter()) == [3, 1])
    #expect(try await runs(SeriesFilter(days: next...next)) == [1, 0])
    #expect(try await runs(SeriesFilter(version: "1")) == [2, 1])
    #expect(try await runs(SeriesFilter(labels: ["region": "eu"])) == [2, 0])
    #expect(try await runs(SeriesFilter(labels: ["region": "mars"])) == [0, 0])
    let series = try await store.series(of: Self.key, in: SeriesFilter())
    #expect(series.map(\.day) == [day, day, next])
    #expect(series.map(\.labels.version) == ["1", "1", "2"])
    #expect(series.map { $0.labels.labels["region"] } == ["eu", "us", "eu"])
    #expect(series.map(\.totals.runs) == [1, 1, 1])
  }

  @Test(arguments: StoreKind.available)
  func aProcessThatRunsForDaysCountsEachCallOnItsDay(kind: StoreKind) async throws {
    let store = try await kind.make()
    let day = FleetDay("2026-09-21")!
    var trace = trace("1", calls: [], at: day.start + 10)
    trace.images[0].seen = [
      SeenGuards(time: day.start + 10, guards: [4, 9]),
      SeenGuards(time: day.start + 86400 * 2 + 5, guards: [5]),
    ]
    trace.images[0].newOnHost = [4, 5, 9].map {
      HostFirst(guardIndex: $0, caller: 0x2000 + UInt64($0))
    }
    _ = try await store.ingest([trace], on: Self.today)
    let later = FleetDay(number: day.number + 2)
    let first = try #require(
      try await store.coverage(of: Self.key, in: SeriesFilter(days: day...day)))
    let third = try #require(
      try await store.coverage(of: Self.key, in: SeriesFilter(days: later...later)))
    #expect(first.guards[4].runs == 1 && first.guards[5].runs == 0)
    #expect(
      third.guards[5]
        == GuardSum(
          runs: 1, hosts: 1, firstSeen: day.start + 86400 * 2 + 5,
          lastSeen: day.start + 86400 * 2 + 5))
    #expect(first.totals.runs == 1 && third.totals.runs == 0)
    #expect(first.callers == [4: 0x2004, 5: 0x2005, 9: 0x2009])
  }

  @Test(arguments: StoreKind.available)
  func startUpTimesAddUp(kind: StoreKind) async throws {
    let store = try await kind.make()
    for number in 1...100 {
      var trace = trace("\(number)", calls: [1])
      trace.readyAfter = Double(number) / 100
      _ = try await store.ingest([trace], on: Self.today)
    }
    let series = try await store.series(of: Self.key, in: SeriesFilter())
    let starts = try #require(series.first).startups
    #expect(starts.total == 100)
    let middle = try #require(starts.percentile(0.5))
    #expect(abs(middle - 0.5) < 0.5 * 0.026)
    let slowest = try #require(starts.percentile(0.99))
    #expect(abs(slowest - 0.99) < 0.99 * 0.026)
  }

  @Test(arguments: StoreKind.available)
  func stagesOfStartsAddUp(kind: StoreKind) async throws {
    let store = try await kind.make()
    for number in 1...20 {
      var trace = trace("\(number)", calls: [1])
      trace.stages = [.exec: Double(number) * 1e-5, .main: Double(number) * 1e-3]
      // Some starts were not watched.
      if number > 10 { trace.stages[.main] = nil }
      _ = try await store.ingest([trace], on: Self.today)
    }
    let series = try await store.series(of: Self.key, in: SeriesFilter())
    let stages = try #require(series.first).stages
    #expect(stages.total(.exec) == 20)
    #expect(stages.total(.main) == 10)
    #expect(stages.total(.mapping) == 0)
    let middle = try #require(stages.percentile(0.5, of: .exec))
    #expect(abs(middle - 10e-5) < 10e-5 * 0.026)
    let slowest = try #require(stages.percentile(0.99, of: .main))
    #expect(abs(slowest - 10e-3) < 10e-3 * 0.026)
  }

  @Test(arguments: StoreKind.available)
  func theSampleKeepsWholeFamilies(kind: StoreKind) async throws {
    let store = try await kind.make()
    var traces: [FleetTrace] = []
    for number in 0..<150 {
      for process in 0..<3 {
        var trace = trace("\(number)", process: "\(process)", calls: [UInt32(number)])
        trace.family = UInt64.max / 200 * UInt64(number * 37 % 150)
        trace.countsRun = process == 0
        traces.append(trace)
      }
    }
    var limit: UInt64?
    for part in stride(from: 0, to: traces.count, by: 70) {
      let batch = Array(traces[part..<min(part + 70, traces.count)])
      let receipt = try await store.ingest(batch, on: Self.today)
      if let now = receipt.sampleLimits[Self.key] {
        #expect(now <= limit ?? .max)
        limit = now
      }
    }
    let kept = try await store.traces(of: Self.key)
    #expect(kept.count == 99)
    let families = Set(traces.map(\.family)).sorted()
    #expect(Set(kept.map(\.family)) == Set(families.prefix(33)))
    // Of a family between the two one trace would still fit.
    #expect(limit == families[33] - 1)
  }

  @Test(arguments: StoreKind.available)
  func theSampleOfALibraryIsThatOfItsPrograms(kind: StoreKind) async throws {
    let store = try await kind.make()
    let run = try {
      var fleet = ExampleFleet(seed: 5)
      return try fleet.run(1).fleetTraces(labels: FleetLabels())
    }()
    _ = try await store.ingest(run, on: Self.today)
    let library = ExampleFleet.key(ExampleFleet.library)
    #expect(Set(try await store.traces(of: library).map(\.id)) == Set(run.map(\.id)))
  }

  @Test(arguments: StoreKind.available)
  func sumsOutliveTheMemoryOfTraces(kind: StoreKind) async throws {
    let store = try await kind.make()
    _ = try await store.ingest([trace("1", calls: [1])], on: FleetDay(number: 100))
    _ = try await store.ingest([trace("2", calls: [1])], on: FleetDay(number: 130))
    try await store.forgetTraces(before: FleetDay(number: 120))
    let size = try await store.size()
    #expect(size.knownTraces == 1)
    #expect(size.builds == 1 && size.series == 1 && size.coverage == 1 && size.sampledTraces == 2)
    #expect(try await store.coverage(of: Self.key, in: SeriesFilter())?.guards[1].runs == 2)
  }

  /// A trace of a run of its own on a host of its own, unless they are named.
  private func trace(
    _ run: String, process: String = "0", calls: [UInt32], at start: Double = 1_790_000_000,
    labels: [String: String] = [:]
  ) -> FleetTrace {
    let process = ObservedProcess(
      run: run, process: process, forkedFrom: nil, root: process, host: "host \(run)",
      startedAt: start, seconds: 1, readyAfter: nil, losses: Losses(),
      images: [
        ObservedProcess.Image(
          build: Self.key, name: "/opt/app/bin/server", isExecutable: true, guardCount: 300)
      ],
      calls: calls.enumerated().map { place, guardIndex in
        RecordedCall(build: 0, guardIndex: guardIndex, thread: 1, time: UInt64(place * 1000))
      }, callers: [])
    var run = CoverageTally()
    var host = CoverageTally()
    return FleetTrace(
      counting: process, run: &run, host: &host, labels: (try? FleetLabels(labels)) ?? FleetLabels()
    )
  }
}
