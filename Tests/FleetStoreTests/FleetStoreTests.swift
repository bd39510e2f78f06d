import FirstlightModel
import FleetTestSupport
import Testing

@testable import FleetModel

/// What every store has to do.
@Suite struct FleetStoreTests {
  private static let today = FleetDay(number: 20_720)
  private static let key = ExampleFleet.key(ExampleFleet.program)

  @Test(arguments: StoreKind.available)
  func anEmptyStoreAnswers(kind: StoreKind) async throws {
    let store = try await kind.make()
    #expect(try await store.builds(FleetQuery(), page: Page()).isEmpty)
    #expect(try await store.coverage(of: Self.key, in: FleetQuery()) == nil)
    #expect(try await store.series(of: Self.key, in: FleetQuery()).isEmpty)
    #expect(try await store.traces(of: Self.key).isEmpty)
    #expect(try await store.functionTable(of: Self.key) == nil)
    #expect(try await store.size() == StoreSize())
    let nothing = PublishedStates(publisher: .test(1), states: [])
    #expect(try await store.take(nothing, on: Self.today) == StateReceipt())
    #expect(try await store.firstOpenDay().number == 0)
    #expect(try await store.receivedDays().isEmpty)
    #expect(try await store.close(before: FleetDay(number: 0)) == 0)
    #expect(try await store.droppedBuilds(limit: 5).isEmpty)
    #expect(try await store.inventory(sizedAbove: nil).builds.isEmpty)
    // Once more changes nothing.
    try await store.prepare()
  }

  @Test(arguments: StoreKind.available)
  func numbersAtTheirLimitsStayReadable(kind: StoreKind) async throws {
    let store = try await kind.make()
    let traces = (0..<200).map { number in
      var process = process("\(number)", calls: [1], at: 9.9e10)
      process.seconds = 9.9e10
      process.readyAfter = 9.9e10
      let most = Int(UInt32.max)
      process.losses = Losses(
        drops: most, uncommitted: most, lostImages: most, unreadableSegments: most)
      return CountedProcess(process)
    }
    #expect(try await store.take(traces, on: FleetDay(of: 9.9e10)).added == 200)
    let build = try #require(try await store.builds(FleetQuery(), page: Page()).first)
    #expect(build.totals.processes == 200 && build.totals.drops == 200 * Int(UInt32.max))
    #expect(try await store.series(of: Self.key, in: FleetQuery())[0].startups.total == 200)
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
    #expect(table.build.architecture == "x86_64")
    #expect(table.bodies == bodies)
    let known = try await store.builds(FleetQuery(), page: Page())
    #expect(known.map(\.hasFunctions) == [true])
  }

  @Test(arguments: StoreKind.available)
  func aTableOfAnotherFileIsRefused(kind: StoreKind) async throws {
    let store = try await kind.make()
    _ = try await store.take([trace("1", calls: [1])], on: Self.today)
    let other = ExampleFleet.build("aaaa", path: "/x", kind: .executable, guards: 10)
    await #expect(throws: Failure.self) {
      try await store.register(FunctionTable(build: other, bodies: []), proof: .found)
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
    // Longer than what lists show: a shorter one may be meant as the beginning of others.
    let whole = "c1" + String(repeating: "0", count: 11)
    let keys = [
      (whole, Recorder.guards), (whole, .breakpoints), (whole + "2", .guards),
      (whole + "23", .guards),
    ]
    for (id, recorder) in keys {
      var process = process("\(id) \(recorder)", calls: [1])
      process.images[0].build = BuildKey(buildID: BuildID(id)!, recorder: recorder)
      _ = try await store.take([CountedProcess(process)], on: Self.today)
    }
    func ids(_ id: String, _ recorder: Recorder? = nil) async throws -> [String] {
      try await store.builds(FleetQuery(buildID: id, recorder: recorder), page: Page()).map {
        "\($0.key.buildID.description.dropFirst(whole.count)) \($0.key.recorder)"
      }
    }
    #expect(try await ids(whole) == [" breakpoints", " guards"])
    #expect(try await ids(whole, .guards) == [" guards"])
    #expect(try await ids(whole + "2") == ["2 guards"])
    #expect(try await ids(whole + "2", .breakpoints).isEmpty)
    #expect(try await ids("c") == [" breakpoints", " guards", "2 guards", "23 guards"])
    #expect(try await ids("c", .breakpoints) == [" breakpoints"])
  }

  @Test(arguments: StoreKind.available)
  func buildsAreListedByProgramInPages(kind: StoreKind) async throws {
    let store = try await kind.make()
    for (id, name) in [("c1", "zeta"), ("c2", "alpha"), ("c3", "alpha"), ("c4", "beta")] {
      var process = process(id, calls: [1])
      process.images[0].build = BuildKey(buildID: BuildID(id)!)
      process.images[0].name = "/usr/bin/\(name)"
      let labels = try FleetLabels(["version": "v\(id)"])
      _ = try await store.take([CountedProcess(process, labels: labels)], on: Self.today)
    }
    var seen: [String] = []
    var page = Page(limit: 3)
    while true {
      let part = try await store.builds(FleetQuery(), page: page)
      seen += part.map { "\($0.program) \($0.key.buildID)" }
      guard part.count == 3, let last = part.last else { break }
      page.after = PagePosition(program: last.program, build: last.key)
    }
    #expect(seen == ["alpha c2", "alpha c3", "beta c4", "zeta c1"])
    func ids(_ filter: FleetQuery) async throws -> [String] {
      try await store.builds(filter, page: Page()).map(\.key.buildID.description)
    }
    #expect(try await ids(FleetQuery(program: "alpha")) == ["c2", "c3"])
    #expect(try await ids(FleetQuery(buildID: "c4")) == ["c4"])
    #expect(try await ids(FleetQuery(program: "alpha", version: "vc3")) == ["c3"])
    #expect(try await ids(FleetQuery(buildID: "c%")).isEmpty)
    let build = try #require(
      try await store.builds(FleetQuery(program: "beta"), page: Page()).first)
    #expect(build.names.paths == ["/usr/bin/beta"])
    #expect(build.versions == BuildVersions(["vc4"]))
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
    _ = try await store.take(traces, on: Self.today)
    func runs(_ filter: FleetQuery) async throws -> [Int]? {
      try await store.coverage(of: Self.key, in: filter)?.guards[1...2].map(\.runs)
    }
    #expect(try await runs(FleetQuery()) == [3, 1])
    #expect(try await runs(FleetQuery(days: next...next)) == [1, 0])
    #expect(try await runs(FleetQuery(version: "1")) == [2, 1])
    #expect(try await runs(FleetQuery(labels: ["region": "eu"])) == [2, 0])
    #expect(try await runs(FleetQuery(labels: ["region": "mars"])) == [0, 0])
    let series = try await store.series(of: Self.key, in: FleetQuery())
    #expect(series.map(\.day) == [day, day, next])
    #expect(series.map(\.labels.version) == ["1", "1", "2"])
    #expect(series.map { $0.labels.labels["region"] } == ["eu", "us", "eu"])
    #expect(series.map(\.totals.runs) == [1, 1, 1])
  }

  @Test(arguments: StoreKind.available)
  func aProcessThatRunsForDaysCountsEachCallOnItsDay(kind: StoreKind) async throws {
    let store = try await kind.make()
    let day = FleetDay("2026-09-21")!
    var process = process("1", calls: [4, 9, 5], at: day.start + 10)
    process = ObservedProcess(
      run: process.run, process: process.process, forkedFrom: nil, root: process.root,
      host: process.host, startedAt: process.startedAt, seconds: 86400 * 3, readyAfter: nil,
      losses: Losses(), images: process.images,
      calls: [4, 9, 5].map { index in
        RecordedCall(
          build: 0, guardIndex: index, thread: 1,
          time: index == 5 ? (86400 * 2 - 5) * 1_000_000_000 : 0)
      }, callers: [0x2004, 0x2009, 0x2005])
    _ = try await store.take([CountedProcess(process)], on: Self.today)
    let later = FleetDay(number: day.number + 2)
    let first = try #require(
      try await store.coverage(of: Self.key, in: FleetQuery(days: day...day)))
    let third = try #require(
      try await store.coverage(of: Self.key, in: FleetQuery(days: later...later)))
    #expect(first.guards[4].runs == 1 && first.guards[5].runs == 0)
    let hour = later.start
    #expect(third.guards[5] == GuardSum(runs: 1, hosts: 1, firstSeen: hour, lastSeen: hour))
    #expect(first.totals.runs == 1 && third.totals.runs == 0)
    #expect(first.callers == [4: 0x2004, 5: 0x2005, 9: 0x2009])
  }

  @Test(arguments: StoreKind.available)
  func startUpTimesAddUp(kind: StoreKind) async throws {
    let store = try await kind.make()
    for number in 1...100 {
      var process = process("\(number)", calls: [1])
      process.readyAfter = Double(number) / 100
      _ = try await store.take([CountedProcess(process)], on: Self.today)
    }
    let series = try await store.series(of: Self.key, in: FleetQuery())
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
      var process = process("\(number)", calls: [1])
      process.stages = [.exec: Double(number) * 1e-5, .main: Double(number) * 1e-3]
      // Some starts were not watched.
      if number > 10 { process.stages[.main] = nil }
      _ = try await store.take([CountedProcess(process)], on: Self.today)
    }
    let series = try await store.series(of: Self.key, in: FleetQuery())
    let stages = try #require(series.first).stages
    #expect(stages.total(.exec) == 20)
    #expect(stages.total(.main) == 10)
    #expect(stages.total(.mapping) == 0)
    let middle = try #require(stages.percentile(0.5, of: .exec))
    #expect(abs(middle - 10e-5) < 10e-5 * 0.026)
    let slowest = try #require(stages.percentile(0.99, of: .main))
    #expect(abs(slowest - 10e-3) < 10e-3 * 0.026)
  }

  /// A trace of a run of its own on a host of its own, unless they are named.
  private func trace(
    _ run: String, process: String = "0", calls: [UInt32], at start: Double = 1_790_000_000,
    labels: [TextBytes: String] = [:]
  ) -> CountedProcess {
    CountedProcess(
      self.process(run, process: process, calls: calls, at: start),
      labels: (try? FleetLabels(labels)) ?? FleetLabels())
  }

  private func process(
    _ run: String, process: String = "0", calls: [UInt32], at start: Double = 1_790_000_000
  ) -> ObservedProcess {
    ObservedProcess(
      run: run, process: process, forkedFrom: nil, root: process, host: "host \(run)",
      startedAt: start, seconds: 1, readyAfter: nil, losses: Losses(),
      images: [
        ObservedProcess.Image(
          build: Self.key, name: "/opt/app/bin/server", isExecutable: true, guardCount: 300)
      ],
      calls: calls.enumerated().map { place, guardIndex in
        RecordedCall(build: 0, guardIndex: guardIndex, thread: 1, time: UInt64(place * 1000))
      }, callers: [])
  }
}
