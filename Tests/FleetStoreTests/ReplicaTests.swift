import ClickHouseStore
import FirstlightModel
import FleetModel
import Testing

/// Two shards of two replicas, of which some go away: servers 1 and 3, and 2 and 4. See Scripts/test-fleet.
@Suite(
  .serialized,
  .enabled(if: ClickHouseServers.replicas != nil, "needs replicas: Scripts/test-fleet --replicas"))
struct ReplicaTests {
  private static let today = PublishedHistory.today
  private static let key = PublishedHistory.builds[0]

  private static func control(_ command: String, _ server: String) async throws {
    try await ClickHouseServers.control(ClickHouseServers.replicas, command, server)
  }

  /// Each of them is gone while two receivers write and somebody asks. In the end all replicas have the same,
  /// without anybody's help.
  @Test(arguments: ["1", "4", "z1"])
  func intakeAndQuestionsGoOnWithout(server: String) async throws {
    let history = try PublishedHistory(hosts: 12, runs: 8, seed: 11)
    let address = try ClickHouseServers.address()
    let stores = (0..<2).map { _ in ClickHouseServers.store(address) }
    try await stores[0].prepare()
    try await history.deliver(receivers: stores) { progress in
      await progress.wait(forMore: 3)
      try await Self.control("kill", server)
      // Also of what was under way when it went.
      await progress.wait(forMore: 6)
      let coverage = try await stores[0].coverage(of: Self.key, in: FleetQuery())
      #expect(coverage?.totals.runs ?? 0 > 0)
      await progress.wait(forMore: 3)
      try await Self.control("start", server)
    }
    try await history.checkReplicas(address)
    #expect(try await stores[1].close(before: Self.today) > 0)
    try await history.checkReplicas(address)
  }

  /// One that is paused takes connections and answers nothing.
  @Test func intakeGoesOnBesideAPausedReplica() async throws {
    let history = try PublishedHistory(hosts: 10, runs: 5, seed: 12)
    let address = try ClickHouseServers.address()
    let stores = (0..<2).map { _ in ClickHouseServers.store(address) }
    try await stores[0].prepare()
    try await history.deliver(receivers: stores) { progress in
      await progress.wait(forMore: 3)
      try await Self.control("pause", "3")
      await progress.wait(forMore: 4)
      try await Self.control("resume", "3")
    }
    try await history.checkReplicas(address)
  }

  /// What one replica has not heard of, no other one adds up.
  @Test func aDayIsAddedUpWhenAllReplicasHaveHeardThatItIsClosed() async throws {
    let history = try PublishedHistory(hosts: 10, runs: 5, seed: 13)
    let address = try ClickHouseServers.address()
    let store = ClickHouseServers.store(address)
    try await store.prepare()
    try await history.deliver(receivers: [store])
    try await Self.control("kill", "3")
    try await Self.control("kill", "2")
    #expect(try await store.close(before: Self.today) == 0)
    #expect(try await store.firstOpenDay() == Self.today)
    try await history.check(store)
    try await Self.control("start", "3")
    try await Self.control("start", "2")
    #expect(try await store.close(before: Self.today) > 0)
    try await history.checkReplicas(address)
  }

  @Test func withoutAShardQuestionsSayWhatIsMissing() async throws {
    let history = try PublishedHistory(hosts: 10, runs: 3, seed: 14)
    let address = try ClickHouseServers.address()
    let store = ClickHouseServers.store(address)
    try await store.prepare()
    try await history.deliver(receivers: [store])
    try await Self.control("kill", "1")
    #expect(try await Self.gaps(store) == [])
    try await Self.control("kill", "3")
    let lines = try await Self.gaps(store)
    #expect(lines.count == 1 && lines.first?.hasPrefix("incomplete: ") == true)
    // Hosts keep what they have.
    let sent = try #require(history.sent.first)
    let refusal = await #expect(throws: Failure.self) {
      try await store.take(sent, on: Self.today)
    }
    #expect(refusal?.kind == .unavailable)
    let failure = await #expect(throws: Failure.self) {
      try await store.close(before: Self.today)
    }
    #expect(failure?.kind == .unavailable)
    try await Self.control("start", "3")
    try await Self.control("start", "1")
    try await history.checkReplicas(address)
    // Those that just began are not connected to ZooKeeper at once.
    for _ in 0..<100 where try await !Self.gaps(store).isEmpty {
      try await history.check(store)
    }
    #expect(try await Self.gaps(store) == [])
  }

  @Test func withoutZooKeepersAnswersMayBeOld() async throws {
    let history = try PublishedHistory(hosts: 6, runs: 2, seed: 16)
    let address = try ClickHouseServers.address()
    let store = ClickHouseServers.store(address)
    try await store.prepare()
    try await history.deliver(receivers: [store])
    for keeper in ["z2", "z3"] { try await Self.control("kill", keeper) }
    let said = try #require(history.sent.first)
    var newer = said
    newer.states[0].version = RowVersion(changes: newer.states[0].version.changes + 100)
    // A server needs some time to find that its session is over.
    let failure = await #expect(throws: Failure.self) {
      try await store.take(newer, on: Self.today)
    }
    #expect(failure?.kind == .unavailable)
    var lines: [String] = []
    for _ in 0..<200 where lines.isEmpty { lines = try await Self.gaps(store) }
    #expect(lines.allSatisfy { $0.hasPrefix("may be old: ") } && !lines.isEmpty)
    for keeper in ["z2", "z3"] { try await Self.control("start", keeper) }
    for _ in 0..<200 where try await !Self.gaps(store).isEmpty {}
    try await history.checkReplicas(address)
  }

  /// A build that is forgotten, with rows on both shards, is gone from all replicas.
  @Test func aForgottenBuildIsGoneFromAllReplicas() async throws {
    let history = try PublishedHistory(hosts: 10, runs: 3, seed: 15)
    let address = try ClickHouseServers.address()
    let store = ClickHouseServers.store(address)
    try await store.prepare()
    try await history.deliver(receivers: [store])
    #expect(try await store.forget(Self.key, by: "a test", on: Self.today))
    for server in ["1", "3"] {
      try await Self.control("kill", server)
      #expect(try await store.coverage(of: Self.key, in: FleetQuery()) == nil)
      try await Self.control("start", server)
    }
    #expect(try await !store.forget(Self.key, by: "a test", on: Self.today))
  }

  private static func gaps(_ store: ClickHouseFleetStore) async throws -> [String] {
    let gaps = AnswerGaps()
    _ = try await AnswerGaps.$current.withValue(gaps) {
      try await store.coverage(of: key, in: FleetQuery())
    }
    return gaps.lines
  }
}

extension PublishedHistory {
  /// Compares the answers of each choice of replicas, once they have copied from one another.
  func checkReplicas(_ address: ClickHouseAddress) async throws {
    for server in address.servers {
      for table in ["sums", "closed", "samples"] {
        try await ClickHouseServers.run("SYSTEM SYNC REPLICA local_\(table)", on: server, address)
      }
    }
    // Of replicas that lack the same the first in the address is asked.
    for servers in [address.servers, address.servers.reversed()] {
      var address = address
      address.servers = servers
      try await check(ClickHouseServers.store(address))
    }
  }
}
