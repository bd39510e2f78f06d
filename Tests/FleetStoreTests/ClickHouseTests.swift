import ClickHouseStore
import FirstlightModel
import FleetModel
import Foundation
import Testing

/// What only ClickHouse can get wrong: many writers, and servers that go away.
@Suite(.serialized) struct ClickHouseTests {
  private static let today = FleetDay(number: 20_000)

  @Test(.enabled(if: StoreKind.clickHouse != nil))
  func severalDaemonsWriteAtOnce() async throws {
    try await FleetDelivery(StoreKind.clickHouseAddress()).deliver(runs: 60, writers: 4) { _ in }
  }

  /// FIRSTLIGHT_TEST_CLICKHOUSE_CLUSTER is the directory of a cluster of Scripts/clickhouse-cluster
  /// that this test may break.
  @Test(.enabled(if: cluster != nil))
  func aKilledShardLosesNothingAndCountsNothingTwice() async throws {
    let kills = ProcessInfo.processInfo.environment["FIRSTLIGHT_TEST_KILLS"].flatMap(Int.init) ?? 6
    let cluster = try #require(Self.cluster)
    let delivery = try FleetDelivery(StoreKind.clickHouseAddress())
    let failed = try await delivery.deliver(runs: 60 + kills * 20, writers: 2) { progress in
      for kill in 0..<kills {
        // Shard 1 is asked and keeps the log, shard 2 is only written to.
        let shard = kill % 2 == 0 ? "2" : "1"
        await progress.wait(forMore: 3 + kill % 5)
        try await FleetDelivery.control(cluster, ["kill", shard])
        // Somebody has to have noticed.
        if await !progress.isDone { await progress.waitForFailure() }
        try await FleetDelivery.control(cluster, ["start", shard])
      }
    }
    #expect(failed > 0)
  }

  @Test(.enabled(if: StoreKind.clickHouse != nil))
  func aServerOutOfReachIsUnavailable() async throws {
    let address = try ClickHouseAddress("http://127.0.0.1:1/nowhere")
    let store = ClickHouseFleetStore(address, transport: StoreKind.transport)
    let failure = await #expect(throws: Failure.self) { try await store.prepare() }
    #expect(failure?.kind == .unavailable)
    #expect(failure?.problem.contains("127.0.0.1:1") == true)
  }

  @Test(.enabled(if: StoreKind.clickHouse != nil))
  func manyBatchesLeaveFewRows() async throws {
    let address = try StoreKind.clickHouseAddress()
    let store = ClickHouseFleetStore(address, transport: StoreKind.transport)
    try await store.prepare()
    var fleet = ExampleFleet(seed: 3)
    var traces: [FleetTrace] = []
    while traces.count < 40 { traces += try fleet.run(traces.count).fleetTraces(labels: .init()) }
    for trace in traces.prefix(40) { _ = try await store.ingest([trace], on: Self.today) }
    let size = try await store.size()
    let stored = try await Self.count(address, "count()", in: "called")
    // 40 batches are two tags of sixteen and eight of one.
    #expect(stored <= size.coverage * 2)
    #expect(try await Self.count(address, "uniq(tag)", in: "called") == 2)
    #expect(try await Self.count(address, "uniq(tag)", in: "sums") == 10)
    #expect(size.knownTraces == 40)
  }

  /// Rows of an attempt that looks older than a day, as to a clock that is ahead: whoever is still at it has
  /// to hear that they are gone.
  @Test(.enabled(if: StoreKind.clickHouse != nil))
  func anAttemptIsGivenUpBeforeItsRowsGo() async throws {
    let address = try StoreKind.clickHouseAddress()
    let store = ClickHouseFleetStore(address, transport: StoreKind.transport)
    try await store.prepare()
    let server = address.servers[0]
    let local = address.cluster == nil ? "known_trace" : "known_trace_local"
    try await Self.run("INSERT INTO \(local) VALUES (1, 5, 5, 20000)", on: server, address)
    var fleet = ExampleFleet(seed: 3)
    var traces: [FleetTrace] = []
    while traces.count < 16 { traces += try fleet.run(traces.count).fleetTraces(labels: .init()) }
    for trace in traces.prefix(16) { _ = try await store.ingest([trace], on: Self.today) }
    #expect(try await Self.count(address, "countIf(tag = 1)", in: "known_trace") == 0)
    #expect(try await Self.count(address, "countIf(has(replaces, 1))", in: "committed") == 1)
    // A commit that comes all the same does not count.
    try await Self.run(
      "INSERT INTO committed SELECT max(number) + 1, 1, 0, [] FROM committed", on: server, address)
    try await Self.run("INSERT INTO \(local) VALUES (1, 5, 5, 20000)", on: server, address)
    #expect(try await store.size().knownTraces == 16)
    // And the log goes on.
    let more = try fleet.run(100).fleetTraces(labels: .init())
    #expect(try await store.ingest(more, on: Self.today).added == more.count)
  }

  /// The first migration had no place for what no guard tells of.
  @Test(.enabled(if: StoreKind.clickHouse != nil))
  func aStoreOfTheFirstMigrationIsFilledUp() async throws {
    let address = try StoreKind.clickHouseAddress()
    let store = ClickHouseFleetStore(address, transport: StoreKind.transport)
    try await store.prepare()
    let table = FunctionTable(build: ExampleFleet.program, bodies: [])
    try await store.register(table)
    for (place, server) in address.servers.enumerated() {
      for name in ["unguarded", "inlined", "optimised", "whole_table"] {
        try await Self.run("DROP TABLE \(name)", on: server, address)
        if address.cluster != nil {
          try await Self.run("DROP TABLE \(name)_local", on: server, address)
        }
      }
      try await Self.run("DROP TABLE migration", on: server, address)
      try await Self.run(
        "CREATE TABLE migration (number UInt32, keeps_log UInt8) ENGINE = MergeTree ORDER BY number",
        on: server, address)
      try await Self.run(
        "INSERT INTO migration VALUES (1, \(place == 0 ? 1 : 0))", on: server, address)
    }

    try await store.prepare()
    var build = try #require(try await store.builds(BuildFilter(), page: Page()).first)
    #expect(build.hasFunctions && build.wantsFunctions)
    let old = try #require(try await store.functionTable(of: table.key)).build
    #expect(old.functions == ExampleFleet.program.functions)
    #expect(old.unguarded.isEmpty && old.inlined.isEmpty && !old.isOptimised)

    for _ in 0..<2 { try await store.register(table) }
    build = try #require(try await store.builds(BuildFilter(), page: Page()).first)
    #expect(build.hasFunctions && !build.wantsFunctions)
    let new = try #require(try await store.functionTable(of: table.key)).build
    #expect(new.functions == old.functions && new.isOptimised)
    #expect(new.unguarded == ExampleFleet.program.unguarded)
    #expect(new.inlined == ExampleFleet.program.inlined)
    #expect(try await Self.count(address, "count()", in: "function_table") == 2)
  }

  /// What a firstlightd of version 0.2.0 had written counts as before, and what it had not committed does not.
  @Test(.enabled(if: StoreKind.clickHouse != nil))
  func aStoreOfRowsForFunctionsIsTakenOver() async throws {
    let address = try StoreKind.clickHouseAddress()
    let store = ClickHouseFleetStore(address, transport: StoreKind.transport)
    try await store.prepare()
    for server in address.servers { try await Self.makeFormer(on: server, address) }
    for query in Self.formerRows(isCluster: address.cluster != nil) {
      try await Self.run(query, on: address.servers[0], address)
    }
    let last = try #require(address.servers.last)
    // A sum of the function on the other shard.
    let coverage = address.cluster == nil ? "coverage" : "coverage_local"
    try await Self.run(
      "INSERT INTO \(coverage) VALUES (9, 'aaaa', 'guards', 20000, '1', 'a=b', 3, 4, 2, 50, 60)",
      on: last, address)

    // Twice, as after a failure.
    for _ in 0..<2 { try await store.prepare() }
    let key = ExampleFleet.key(ExampleFleet.program)
    func check(_ more: Int) async throws {
      let coverage = try #require(try await store.coverage(of: key, in: SeriesFilter()))
      #expect(coverage.totals.runs == 16 + more)
      #expect(coverage.callers[3] == 77)
      #expect(coverage.guards[3].runs == 11 && coverage.guards[3].hosts == 5)
      #expect(coverage.guards[3].firstSeen == 50 && coverage.guards[3].lastSeen == 90)
      #expect(coverage.guards[5].runs == 2)
      let filter = SeriesFilter(version: "1", labels: ["a": "b"])
      let part = try #require(try await store.coverage(of: key, in: filter))
      #expect(part.guards[3].runs == 11 && part.totals.runs == 16)
      let series = try await store.series(of: key, in: filter)
      #expect(series.map(\.startups.counts) == [[40: 6]])
    }
    try await check(0)
    let inventory = try await store.inventory(sizedAbove: nil)
    #expect(inventory.builds.flatMap(\.days).map(\.received.number) == [20_003])
    for number in 0..<20 {
      let trace = Self.trace(number, of: key)
      #expect(try await store.ingest([trace], on: Self.today).added == 1)
    }
    try await check(20)
    let left =
      "countIf(name LIKE '%coverage%' OR name LIKE '%series%' OR name LIKE 'former%')"
    #expect(
      try await Self.count(
        address, left, in: "system.tables WHERE database = '\(address.database)'") == 0)
  }

  private static func trace(_ number: Int, of key: BuildKey) -> FleetTrace {
    let image = ObservedProcess.Image(
      build: key, name: "server", isExecutable: true, guardCount: 300)
    let process = ObservedProcess(
      run: "run \(number)", process: "0", forkedFrom: nil, root: "0", host: "host",
      startedAt: today.start, seconds: 1, readyAfter: nil, losses: Losses(), images: [image],
      calls: [RecordedCall(build: 0, guardIndex: 9, thread: 1, time: 5)], callers: [])
    var (run, host) = (CoverageTally(), CoverageTally())
    return FleetTrace(counting: process, run: &run, host: &host, labels: FleetLabels())
  }

  private static let formerSeries =
    "tag UInt64, build_id String, recorder String, day Int32, version String, labels String"

  /// The tables that step 8 replaced, instead of today's.
  private static func makeFormer(on server: String, _ address: ClickHouseAddress) async throws {
    let build = "tag UInt64, build_id String, recorder String"
    let totals =
      "runs UInt64, hosts UInt64, program_runs UInt64, processes UInt64, microseconds UInt64, "
      + "drops UInt64, uncommitted UInt64, lost_images UInt64, unreadable_segments UInt64"
    let tables = [
      ("build", "\(build), program String, path String, executable UInt8, guards UInt32"),
      ("caller", "\(build), guard UInt32, address UInt64"),
      ("series", "\(formerSeries), \(totals)"),
      (
        "coverage",
        "\(formerSeries), guard UInt32, runs UInt64, hosts UInt64, first_seen Float64, "
          + "last_seen Float64"
      ),
      ("startup", "\(formerSeries), bucket Int32, starts UInt64"),
      ("sample_limit", "\(build), family UInt64"),
      ("arrival", "\(build), day Int32, received Int32"),
    ]
    for name in ["sums", "called", "seen_build", "called_from"] {
      try await run("DROP TABLE \(name)", on: server, address)
      if address.cluster != nil { try await run("DROP TABLE \(name)_local", on: server, address) }
    }
    for (name, columns) in tables {
      let local = address.cluster == nil ? name : "\(name)_local"
      try await run(
        "CREATE TABLE \(local) (\(columns)) ENGINE = MergeTree PARTITION BY tag ORDER BY build_id",
        on: server, address)
      guard let cluster = address.cluster else { continue }
      try await run(
        "CREATE TABLE \(name) AS \(local) ENGINE = Distributed('\(cluster)', "
          + "'\(address.database)', '\(local)', cityHash64(build_id))", on: server, address)
    }
    try await run("DROP TABLE migration", on: server, address)
    try await run(
      "CREATE TABLE migration (number UInt32, keeps_log UInt8) ENGINE = MergeTree ORDER BY number",
      on: server, address)
    let keepsLog = server == address.servers[0] ? 1 : 0
    try await run("INSERT INTO migration VALUES (7, \(keepsLog))", on: server, address)
  }

  /// Tag 9 replaced 5 and 6, 10 came after it, and 11 was not committed.
  private static func formerRows(isCluster: Bool) -> [String] {
    let series = "'aaaa', 'guards', 20000, '1', 'a=b'"
    let local = isCluster ? "_local" : ""
    return [
      """
      INSERT INTO committed VALUES (1, 5, 0, []), (2, 6, 0, []), (3, 9, 1, [5, 6]), (4, 10, 0, [])
      """,
      """
      INSERT INTO build\(local) VALUES (9, 'aaaa', 'guards', 'server', '/server', 1, 300),
        (10, 'aaaa', 'guards', 'server', '/server', 1, 300)
      """,
      "INSERT INTO caller\(local) VALUES (9, 'aaaa', 'guards', 3, 78), (10, 'aaaa', 'guards', 3, 77)",
      """
      INSERT INTO series\(local) VALUES (5, \(series), 99, 1, 1, 1, 1, 0, 0, 0, 0),
        (9, \(series), 9, 1, 1, 1, 1, 0, 0, 0, 0), (10, \(series), 7, 1, 1, 1, 1, 0, 0, 0, 0),
        (11, \(series), 99, 1, 1, 1, 1, 0, 0, 0, 0)
      """,
      """
      INSERT INTO coverage\(local) VALUES (5, \(series), 3, 99, 1, 1, 1),
        (9, \(series), 5, 2, 1, 50, 60), (10, \(series), 3, 7, 3, 80, 90),
        (11, \(series), 3, 99, 1, 1, 1)
      """,
      "INSERT INTO startup\(local) VALUES (9, \(series), 40, 4), (10, \(series), 40, 2)",
      "INSERT INTO sample_limit\(local) VALUES (9, 'aaaa', 'guards', 18446744073709551000)",
      """
      INSERT INTO arrival\(local) VALUES (9, 'aaaa', 'guards', 20000, 20001),
        (10, 'aaaa', 'guards', 20000, 20003)
      """,
    ]
  }

  /// FIRSTLIGHT_TEST_TRACES is how many, of 5,000 first calls each, over ten days.
  @Test(.enabled(if: traceCount != nil && StoreKind.clickHouse != nil))
  func rowsGrowWithFunctionsAndDaysNotWithTraces() async throws {
    let total = try #require(Self.traceCount)
    let address = try StoreKind.clickHouseAddress()
    let store = ClickHouseFleetStore(address, transport: StoreKind.transport)
    try await store.prepare()
    let key = BuildKey(buildID: BuildID("5123")!)
    let image = ObservedProcess.Image(
      build: key, name: "server", isExecutable: true, guardCount: 20_000)
    let calls = (0..<5000).map {
      RecordedCall(build: 0, guardIndex: UInt32($0 * 4), thread: 1, time: UInt64($0) * 1000)
    }
    let first = FleetDay(number: 20_000)
    for start in stride(from: 0, to: total, by: 100) {
      let traces = (start..<min(start + 100, total)).map { number in
        let process = ObservedProcess(
          run: "run \(number)", process: "1-\(number)-0", forkedFrom: nil, root: "1-\(number)-0",
          host: "host \(number)",
          startedAt: first.start + Double(number) * 864_000 / Double(total), seconds: 60,
          readyAfter: 0.1 + Double(number % 100) / 100, losses: Losses(), images: [image],
          calls: calls, callers: calls.map { _ in 0x4000 })
        var run = CoverageTally()
        var host = CoverageTally()
        return FleetTrace(counting: process, run: &run, host: &host, labels: FleetLabels())
      }
      _ = try await store.ingest(
        traces, on: FleetDay(number: first.number + Int32(start * 10 / total)))
    }
    let rows = try await Self.count(address, "count()", in: "called")
    let size = try await store.size()
    #expect(size.knownTraces == total && size.series == 10)
    // An estimate, see `StoreSize`.
    #expect(abs(size.coverage - 50_000) < 500)
    #expect(rows < 50_000 * 6)
    let coverage = try #require(try await store.coverage(of: key, in: SeriesFilter()))
    #expect(coverage.guards.filter { $0.runs == total && $0.hosts == total }.count == 5000)
  }

  private static var traceCount: Int? {
    ProcessInfo.processInfo.environment["FIRSTLIGHT_TEST_TRACES"].flatMap(Int.init)
  }

  private static var cluster: String? {
    ProcessInfo.processInfo.environment["FIRSTLIGHT_TEST_CLICKHOUSE_CLUSTER"]
  }

  /// Asks a server behind the store's back.
  private static func count(
    _ address: ClickHouseAddress, _ what: String, in table: String
  ) async throws -> Int {
    let answer = try await run("SELECT \(what) FROM \(table)", on: address.servers[0], address)
    return try #require(Int(answer.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  @discardableResult
  private static func run(
    _ sql: String, on server: String, _ address: ClickHouseAddress
  ) async throws -> String {
    let answer = try await StoreKind.transport.send(
      .init("POST", "http://\(server)/?database=\(address.database)", body: Array(sql.utf8)))
    try #require(answer.status == 200, "\(sql): \(answer.text)")
    return answer.text
  }
}
