import ClickHouseStore
import FirstlightModel
import FleetModel
import Synchronization
import Testing

/// Schedules of two receivers that once lost evidence, brought it back or would have counted it twice.
@Suite(.serialized) struct ClickHouseRaceTests {
  private static let young = FleetDay(number: 20_100)
  private static let old = FleetDay(number: 20_000)

  /// Two receivers over one store of two subjects.
  private struct Fixture {
    let address: ClickHouseAddress
    var model = ScheduleModel()
    let oracle: ScheduleOracle

    init() async throws {
      address = try StoreKind.clickHouseAddress()
      oracle = ScheduleOracle(address: address, transport: StoreKind.transport)
      for subject in 0..<2 { model.subjects.append(.init(subject)) }
      try await store().prepare()
    }

    /// - Parameter hook: is called before each statement; what it throws becomes of the statement.
    func store(
      fan: Int = 3, kept: UInt64 = 1000,
      before hook: @escaping @Sendable (Statement) async throws(Failure) -> Void = { _ in }
    ) -> ClickHouseFleetStore {
      var tuning = ClickHouseTuning()
      tuning.fan = fan
      tuning.keptCommits = kept
      let address = address
      return ClickHouseFleetStore(address, tuning: tuning) { request throws(Failure) in
        try await hook(Statement(request, to: address))
        return try await StoreKind.transport.send(request)
      }
    }

    /// A new batch of one trace.
    mutating func batch(of subject: Int) -> [FleetTrace] {
      let number = model.addBatch(of: subject, traces: 1, day: old.number)
      return model.traces(of: number, on: old)
    }

    func program(_ subject: Int) -> BuildKey { model.subjects[subject].program }

    func runs(of subject: Int) async throws -> Int {
      let answer = try await oracle.answer(of: program(subject))
      #expect(answer.contradictions.isEmpty)
      return answer.runs.values.reduce(0, +)
    }
  }

  /// Does something the first time that it is asked to.
  private final class Once: Sendable {
    private let isDone = Mutex(false)
    private let body: @Sendable () async throws -> Void

    init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }

    func callAsFunction() async throws(Failure) {
      let isFirst = isDone.withLock { isDone in
        defer { isDone = true }
        return !isDone
      }
      guard isFirst else { return }
      do { try await body() } catch {
        throw error as? Failure ?? Failure(.data, "\(error)")
      }
    }
  }

  @Test(.enabled(if: StoreKind.clickHouse != nil))
  func aBuildForgottenWhileItIsSummedUpIsGone() async throws {
    var fixture = try await Fixture()
    let store = fixture.store()
    let key = fixture.program(1)
    for _ in 0..<2 { _ = try await store.ingest(fixture.batch(of: 1), on: Self.old) }
    let forget = Once { _ = try await store.forget(key, by: "a test") }
    let summing = fixture.store { statement throws(Failure) in
      // Right behind `called`.
      if statement.sql.hasPrefix("INSERT INTO stage"), !statement.isRead { try await forget() }
    }
    _ = try await summing.ingest(fixture.batch(of: 0), on: Self.old)
    #expect(try await fixture.runs(of: 1) == 0)
    for _ in 0..<9 { _ = try await store.ingest(fixture.batch(of: 0), on: Self.old) }
    #expect(try await fixture.runs(of: 1) == 0)
    #expect(try await fixture.runs(of: 0) == 10)
  }

  @Test(.enabled(if: StoreKind.clickHouse != nil))
  func aRemovalThatBrokeOffCanBeDoneAgain() async throws {
    var fixture = try await Fixture()
    let store = fixture.store()
    let key = fixture.program(1)
    _ = try await store.ingest(fixture.batch(of: 1), on: Self.old)
    let breaking = fixture.store { statement throws(Failure) in
      guard statement.sql.hasPrefix("ALTER TABLE called") else { return }
      throw Failure(.unavailable, "the connection broke")
    }
    await #expect(throws: Failure.self) { try await breaking.forget(key, by: "a test") }
    _ = try await store.forget(key, by: "a test")
    #expect(try await fixture.runs(of: 1) == 0)
  }

  @Test(.enabled(if: StoreKind.clickHouse != nil))
  func aBatchThatComesWhileItsBuildIsForgottenCountsWhole() async throws {
    var fixture = try await Fixture()
    let store = fixture.store()
    let key = fixture.program(1)
    _ = try await store.ingest(fixture.batch(of: 1), on: Self.old)
    let forget = Once { _ = try await store.forget(key, by: "a test") }
    let writing = fixture.store { statement throws(Failure) in
      if statement.attemptTable == "sums" { try await forget() }
    }
    _ = try await writing.ingest(fixture.batch(of: 1), on: Self.old)
    #expect(try await fixture.runs(of: 1) == 1)
    let coverage = try await store.coverage(of: key, in: SeriesFilter())
    #expect(coverage?.totals.runs == 1 && coverage?.guards[1].runs == 1)
  }

  @Test(.enabled(if: StoreKind.clickHouse != nil))
  func aReportThatIsSummedUpMeanwhileKeepsItsDay() async throws {
    var fixture = try await Fixture()
    let store = fixture.store()
    for _ in 0..<3 { _ = try await store.ingest(fixture.batch(of: 0), on: Self.old) }
    for _ in 0..<2 { _ = try await store.ingest(fixture.batch(of: 0), on: Self.young) }
    let more = fixture.batch(of: 1)
    let sumUp = Once { _ = try await store.ingest(more, on: Self.young) }
    let retaining = fixture.store { statement throws(Failure) in
      if statement.isRead, statement.sql.contains("max(received)") { try await sumUp() }
    }
    let days = Deletion(.days(before: FleetDay(number: 20_050)), reason: "retain-days=1")
    try await retaining.drop([days]) { _, _ in }
    #expect(try await fixture.runs(of: 0) == 5)
    #expect(try await fixture.runs(of: 1) == 1)
  }

  /// A receiver stands still before it notes a commit, until that was replaced and nobody remembers it; and
  /// the rows that were replaced are still there.
  @Test(.enabled(if: StoreKind.clickHouse != nil))
  func aCommitThatIsNotedLateCountsNothing() async throws {
    var fixture = try await Fixture()
    let others = fixture.store(fan: 2, kept: 2) { statement throws(Failure) in
      guard statement.sql.contains(" DROP PARTITION ") else { return }
      throw Failure(.unavailable, "the connection broke")
    }
    let more = (0..<12).map { _ in fixture.batch(of: 0) }
    let goOn = Once { for batch in more { _ = try await others.ingest(batch, on: Self.old) } }
    let slow = fixture.store(fan: 100) { statement throws(Failure) in
      guard statement.sql.hasPrefix("INSERT INTO"), statement.sql.contains("committed") else {
        return
      }
      try await goOn()
    }
    _ = try? await slow.ingest(fixture.batch(of: 1), on: Self.old)
    #expect(try await fixture.runs(of: 0) == 12)
    #expect(try await fixture.runs(of: 1) == 1)
  }

  /// A receiver whose clock is a day ahead gives up the tag of a sum that another is still at.
  @Test(.enabled(if: StoreKind.clickHouse != nil))
  func aSumThatIsGivenUpReplacesNothing() async throws {
    var fixture = try await Fixture()
    let oracle = fixture.oracle
    let sum = Mutex("")
    let giveUp = Once {
      let tag = sum.withLock { $0 }
      try await oracle.run(
        "INSERT INTO committed SELECT max(number) + 1, 7, 0, [\(tag)] FROM committed")
    }
    let store = fixture.store { statement throws(Failure) in
      guard let commit = statement.sql.firstMatch(of: #/^CREATE TABLE slot_[0-9]+ \(t([0-9]+)_1 /#)
      else { return }
      sum.withLock { $0 = String(commit.1) }
      try await giveUp()
    }
    for _ in 0..<3 { _ = try await store.ingest(fixture.batch(of: 0), on: Self.old) }
    #expect(try await fixture.runs(of: 0) == 3)
    #expect(try await store.size().knownTraces == 3)
    for _ in 0..<3 { _ = try await store.ingest(fixture.batch(of: 0), on: Self.old) }
    #expect(try await fixture.runs(of: 0) == 6)
  }
}
