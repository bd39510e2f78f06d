import ClickHouseStore
import FirstlightModel
import FleetModel
import Foundation
import Testing

/// Two shards of two replicas, of which some go away. FIRSTLIGHT_TEST_REPLICAS is the directory of a cluster
/// of Scripts/clickhouse-cluster that these tests may break; see Scripts/test-fleet.
@Suite(.serialized) struct ReplicaTests {
  private static let today = FleetDay(number: 20_000)
  private static let key = ExampleFleet.key(ExampleFleet.program)

  private static var cluster: String? {
    ProcessInfo.processInfo.environment["FIRSTLIGHT_TEST_REPLICAS"]
  }

  private static func control(_ arguments: String...) async throws {
    try await FleetDelivery.control(try #require(cluster), arguments)
  }

  /// Each of them is gone while two receivers write and somebody asks. Server 1 is the first of the address.
  @Test(.enabled(if: cluster != nil), arguments: ["1", "4", "z1"])
  func intakeAndQuestionsGoOnWithout(server: String) async throws {
    let address = try StoreKind.clickHouseAddress()
    try await FleetDelivery(address).deliver(runs: 60, writers: 2) { progress in
      await progress.wait(forMore: 3)
      try await Self.control("kill", server)
      // Also of batches that were under way when it went.
      await progress.wait(forMore: 6)
      let store = ClickHouseFleetStore(address, transport: StoreKind.transport)
      let gaps = AnswerGaps()
      let coverage = try await AnswerGaps.$current.withValue(gaps) {
        try await store.coverage(of: Self.key, in: SeriesFilter())
      }
      #expect(coverage?.totals.runs ?? 0 > 0)
      #expect(gaps.lines.isEmpty)
      await progress.wait(forMore: 3)
      try await Self.control("start", server)
    }
  }

  /// One that is paused takes connections and answers nothing.
  @Test(.enabled(if: cluster != nil))
  func intakeGoesOnBesideAPausedReplica() async throws {
    let address = try StoreKind.clickHouseAddress()
    try await FleetDelivery(address).deliver(runs: 40, writers: 2) { progress in
      await progress.wait(forMore: 3)
      try await Self.control("pause", "3")
      await progress.wait(forMore: 4)
      try await Self.control("resume", "3")
    }
  }

  @Test(.enabled(if: cluster != nil))
  func aReplicaThatCameBackCarriesItsShard() async throws {
    var fixture = try await Fixture()
    try await fixture.add(4)
    try await Self.control("kill", "3")
    try await fixture.add(4)
    #expect(try await fixture.store.replicasBehind().count == 1)
    try await Self.control("start", "3")
    try await fixture.addUntilInSync()
    try await Self.control("kill", "1")
    try await fixture.add(4)
    try await fixture.check()
    try await Self.control("start", "1")
    try await fixture.addUntilInSync()
    try await fixture.check()
  }

  /// Shard 1 goes; then its replica that lacks rows comes back alone.
  @Test(.enabled(if: cluster != nil))
  func withoutAShardQuestionsSayWhatIsMissing() async throws {
    var fixture = try await Fixture()
    try await fixture.add(8)
    try await Self.control("kill", "3")
    try await fixture.add(8)
    try await Self.control("kill", "1")
    for _ in 0..<2 {
      let lines = try await fixture.gaps()
      #expect(lines.count == 1 && lines.first?.contains("shard 1 answers") == true)
      let failure = await #expect(throws: Failure.self) { try await fixture.add(1) }
      #expect(failure?.kind == .unavailable && failure?.problem.contains("shard 1") == true)
      try await Self.control("start", "3")
    }
    try await Self.control("start", "1")
    try await fixture.addUntilInSync()
    try await fixture.check()
    #expect(try await fixture.gaps() == [])
  }

  /// A build that is forgotten, with rows on both shards, is gone from all replicas.
  @Test(.enabled(if: cluster != nil))
  func aForgottenBuildIsGoneFromAllReplicas() async throws {
    var fixture = try await Fixture()
    try await fixture.add(8)
    #expect(try await fixture.store.forget(Self.key, by: "a test"))
    for server in ["1", "3"] {
      try await Self.control("kill", server)
      #expect(try await fixture.store.coverage(of: Self.key, in: SeriesFilter()) == nil)
      try await Self.control("start", server)
      try await fixture.addUntilInSync()
      _ = try await fixture.store.forget(Self.key, by: "a test")
    }
  }

  /// A store, and SQLite with the same traces.
  private struct Fixture {
    let store: ClickHouseFleetStore
    let expected: any FleetStore
    private var fleet = ExampleFleet(seed: 5)
    private var run = 0

    init() async throws {
      var tuning = ClickHouseTuning()
      tuning.fan = 4
      let address = try StoreKind.clickHouseAddress()
      store = ClickHouseFleetStore(address, tuning: tuning) { request throws(Failure) in
        try await StoreKind.transport.send(request)
      }
      try await store.prepare()
      expected = try await StoreKind.sqlite.make()
    }

    /// Adds batches.
    mutating func add(_ count: Int) async throws {
      for _ in 0..<count {
        let traces = try fleet.run(run).fleetTraces(labels: FleetLabels())
        run += 1
        _ = try await store.ingest(traces, on: ReplicaTests.today)
        _ = try await expected.ingest(traces, on: ReplicaTests.today)
      }
    }

    /// Receivers look for replicas that are back whenever they have written something.
    mutating func addUntilInSync() async throws {
      for _ in 0..<500 {
        if try await store.replicasBehind().isEmpty { return }
        try await add(1)
      }
      Issue.record("not in sync: \(try await store.replicasBehind())")
    }

    func gaps() async throws -> [String] {
      let gaps = AnswerGaps()
      _ = try await AnswerGaps.$current.withValue(gaps) {
        try await store.coverage(of: ReplicaTests.key, in: SeriesFilter())
      }
      return gaps.lines
    }

    func check() async throws {
      let all = SeriesFilter()
      let coverage = try await store.coverage(of: ReplicaTests.key, in: all)
      #expect(try await coverage == expected.coverage(of: ReplicaTests.key, in: all))
      #expect(try await store.size() == expected.size())
    }
  }
}
