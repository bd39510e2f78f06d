import FirstlightModel
import FleetModel
import Testing

@testable import ClickHouseStore

/// What only ClickHouse can get wrong: many writers, and servers that go away.
@Suite(
  .serialized,
  .enabled(if: ClickHouseServers.named != nil, "needs ClickHouse servers: Scripts/test-fleet"))
struct ClickHouseTests {
  private static let today = PublishedHistory.today
  private static let key = PublishedHistory.builds[0]

  @Test func rowsMayComeTwiceInAnyOrderThroughAnyReceiver() async throws {
    let history = try PublishedHistory(hosts: 12, runs: 8, seed: 1)
    let address = try ClickHouseServers.address()
    let stores = (0..<4).map { _ in ClickHouseServers.store(address) }
    try await stores[0].prepare()
    try await history.deliver(receivers: stores)
    try await history.check(stores[0])
    let rows = history.last.values.flatMap(\.states)
    let size = try await stores[1].size()
    #expect(size.rows == rows.count)
    // What publishers have is found again.
    for (publisher, said) in history.last {
      let known = try await stores[2].versions(
        of: publisher, said.states.map { ($0.key, $0.version) })
      #expect(known == said.states.map(\.version))
    }
  }

  /// Two close at once, again and again, while somebody asks: answers stay as they are.
  @Test func closingADayChangesNoAnswer() async throws {
    let history = try PublishedHistory(hosts: 6, runs: 4, seed: 2)
    let address = try ClickHouseServers.address()
    let store = ClickHouseServers.store(address)
    let other = ClickHouseServers.store(address)
    try await store.prepare()
    try await history.deliver(receivers: [store])
    let days = Set(history.last.values.flatMap(\.states).map(\.key.day)).sorted()
    try #require(days.count >= 4)
    let coverage = history.expected(of: Self.key).coverage
    for day in days.dropFirst() {
      async let first = store.close(before: day)
      async let second = other.close(before: day)
      for _ in 0..<3 {
        #expect(try await store.coverage(of: Self.key, in: FleetQuery()) == coverage)
      }
      let added = try await [first, second]
      #expect(added.max() ?? 0 >= 1)
      try await history.check(other)
    }
    let last = try #require(days.last)
    #expect(try await store.close(before: last) == 0)
    #expect(try await store.firstOpenDay() == last)
    // It never goes back.
    #expect(try await store.close(before: days[0]) == 0)
    #expect(try await store.firstOpenDay() == last)
    // All rows of a series are one.
    let closed = Set(
      history.last.values.flatMap(\.states).filter { $0.key.day < last }.map(\.key.series))
    let open = history.last.values.flatMap(\.states).count { $0.key.day >= last }
    #expect(try await store.size().rows == closed.count + open)
    // What comes now is refused, and said to be there.
    let said = try #require(history.sent.first)
    let receipt = try await other.take(said, on: Self.today)
    let late = said.states.count { $0.key.day < last }
    #expect(receipt.places(.refused, .late).count == late && receipt.firstOpenDay == last)
    let known = try await other.versions(of: said.publisher, said.states.map { ($0.key, 99) })
    #expect(known.count { $0 == 99 } == late)
  }

  /// Until all receivers have heard of it, rows may still arrive.
  @Test func aDayIsAddedUpWhenAllServersHaveKnownForAWhile() async throws {
    let history = try PublishedHistory(hosts: 4, runs: 2, seed: 3)
    let address = try ClickHouseServers.address()
    let store = ClickHouseServers.store(address, closingDelay: 600)
    try await store.prepare()
    try await history.deliver(receivers: [store])
    let rows = try await store.size().rows
    #expect(try await store.close(before: Self.today) == 0)
    #expect(try await store.firstOpenDay() == Self.today)
    #expect(try await store.size().rows == rows)
    for server in address.servers {
      try await ClickHouseServers.run(
        "INSERT INTO days VALUES (toDate(\(Self.today.number)), toDate(0), now() - 60)",
        on: server, address)
    }
    #expect(try await store.close(before: Self.today) == 0)
    for server in address.servers {
      try await ClickHouseServers.run(
        "INSERT INTO days VALUES (toDate(\(Self.today.number)), toDate(0), now() - 601)",
        on: server, address)
    }
    #expect(try await store.close(before: Self.today) > 0)
    try await history.check(store)
  }

  /// As from a receiver that stood still while the day was closed.
  @Test func aRowThatComesAfterClosingIsNotCounted() async throws {
    let history = try PublishedHistory(hosts: 6, runs: 3, seed: 4)
    let address = try ClickHouseServers.address()
    let store = ClickHouseServers.store(address, droppingDelay: 0)
    try await store.prepare()
    try await history.deliver(receivers: [store])
    #expect(try await store.close(before: Self.today) > 0)
    let columns =
      "called.guard, called.runs, called.hosts, called.first, called.last, called.caller"
    try await ClickHouseServers.run(
      """
      INSERT INTO sums (build_id, recorder, guards, day, version, labels, publisher, row_version,
        received, executable, functions, runs, processes, \(columns))
      SELECT build_id, recorder, guards, day, version, labels, 'ab', 7, received, executable,
        functions, 1000, 1000, \(columns) FROM closed
      """, on: address.servers[0], address)
    func late() async throws -> String {
      try await ClickHouseServers.run(
        "SELECT count() FROM sums WHERE publisher = 'ab'", on: address.servers[0], address)
    }
    #expect(try await late() != "0")
    try await history.check(store)
    // And goes.
    _ = try await store.close(before: Self.today)
    try await history.check(store)
    #expect(try await late() == "0")
  }

  /// As one that another attempt broke off, or that found half of the rows gone.
  @Test func sumsOfADayCountOnceItIsClosedAndWhole() async throws {
    let history = try PublishedHistory(hosts: 6, runs: 3, seed: 5)
    let address = try ClickHouseServers.address()
    let store = ClickHouseServers.store(address)
    try await store.prepare()
    try await history.deliver(receivers: [store])
    func addPart() async throws {
      try await ClickHouseServers.run(
        """
        INSERT INTO closed (build_id, recorder, guards, day, version, labels, publisher,
          row_version, received, runs)
        SELECT build_id, recorder, guards, day, version, labels, '\(PublisherID.closedDay)', 0,
          received, 99 FROM sums
        """, on: address.servers[0], address)
    }
    try await addPart()
    try await history.check(store)
    #expect(try await store.close(before: Self.today) > 0)
    try await addPart()
    try await history.check(store)
  }

  @Test func aStoreOfAnotherVersionIsRefused() async throws {
    for step in [ClickHouseSchema.version - 1, ClickHouseSchema.version + 1] {
      let address = try ClickHouseServers.address()
      for server in address.servers {
        var anywhere = address
        anywhere.database = "default"
        try await ClickHouseServers.run("CREATE DATABASE \(address.database)", on: server, anywhere)
        try await ClickHouseServers.run(
          "CREATE TABLE migration (number UInt32) ENGINE = MergeTree ORDER BY number", on: server,
          address)
        try await ClickHouseServers.run(
          "INSERT INTO migration VALUES (\(step))", on: server, address)
      }
      let store = ClickHouseServers.store(address)
      let failure = await #expect(throws: Failure.self) { try await store.prepare() }
      #expect(
        failure?.kind == .data
          && failure?.problem.contains("another version of firstlightd") == true)
      let tables = try await ClickHouseServers.run(
        "SELECT count() FROM system.tables WHERE database = currentDatabase()",
        on: address.servers[0], address)
      #expect(tables == "1")
    }
  }

  @Test func aServerOutOfReachIsUnavailable() async throws {
    let address = try ClickHouseAddress("http://127.0.0.1:1/nowhere")
    let store = ClickHouseServers.store(address)
    let failure = await #expect(throws: Failure.self) { try await store.prepare() }
    #expect(failure?.kind == .unavailable)
    #expect(failure?.problem.contains("127.0.0.1:1") == true)
  }

  /// FIRSTLIGHT_TEST_KILLS is how often one is killed.
  @Test(.enabled(if: ClickHouseServers.cluster != nil, "needs a cluster: Scripts/test-fleet"))
  func killedShardsLoseNothingAndCountNothingTwice() async throws {
    let kills = ClickHouseServers.variable("FIRSTLIGHT_TEST_KILLS").flatMap(Int.init) ?? 6
    let history = try PublishedHistory(hosts: 20, runs: 6 + kills, seed: 6)
    let address = try ClickHouseServers.address()
    let stores = (0..<2).map { _ in ClickHouseServers.store(address) }
    try await stores[0].prepare()
    let failed = try await history.deliver(receivers: stores) { progress in
      for kill in 0..<kills {
        let shard = kill % 2 == 0 ? "2" : "1"
        await progress.wait(forMore: 3 + kill % 5)
        try await ClickHouseServers.control(ClickHouseServers.cluster, "kill", shard)
        // Somebody has to have noticed.
        if await !progress.isDone { await progress.waitForFailure() }
        try await ClickHouseServers.control(ClickHouseServers.cluster, "start", shard)
      }
    }
    #expect(failed > 0)
    try await history.check(stores[1])
    #expect(try await stores[1].close(before: Self.today) > 0)
    try await history.check(stores[0])
  }
}
