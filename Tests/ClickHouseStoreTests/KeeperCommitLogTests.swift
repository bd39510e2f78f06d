import FirstlightModel
import Testing

@testable import ClickHouseStore

/// The log of a store with replicas, statement by statement. `ReplicaTests` has real servers.
@Suite struct KeeperCommitLogTests {
  private static let member = Replica(shard: "1", name: "b", native: "127.0.0.1:9000")

  private static func log(_ script: ScriptedServer) throws -> KeeperCommitLog {
    var tuning = ClickHouseTuning()
    tuning.keptCommits = 10
    return KeeperCommitLog(server: try script.server(), tuning: tuning)
  }

  private static func lastSlot(_ script: ScriptedServer, _ number: UInt64) {
    script.answer("SELECT max(toUInt64OrZero(name))") { $0.add(number) }
  }

  @Test func aStateIsReadAsItWasWritten() throws {
    var state = LogState(number: 7, levels: [10: 0, 1 << 63: 3], deletion: 4)
    state.givenUp = [99: 5]
    state.replicas = [
      Self.member: true, Replica(shard: "eu-1", name: "a.b", native: "[::1]:9000"): false,
    ]
    let columns = state.columns.map { "`\($0)` UInt8" }.joined(separator: "\n")
    let text = "columns format version: 1\n\(state.columns.count) columns:\n\(columns)\n"
    #expect(try LogState(number: 7, columns: text) == state)
    #expect(state.shards == ["1", "eu-1"])
  }

  @Test(arguments: ["`t_1` UInt8", "`r|1|2` UInt8", "`x` UInt8", "`t_a_b` UInt8"])
  func aDamagedSlotIsSaidToBeOne(line: String) {
    let failure = #expect(throws: Failure.self) { try LogState(number: 3, columns: line) }
    #expect(failure?.problem.contains("slot 3") == true)
  }

  @Test func aCommitWritesTheStateThatItLeadsTo() async throws {
    let script = ScriptedServer()
    Self.lastSlot(script, 8)
    let commit = LogCommit(tag: 50, level: 1, replaces: [10, 20])
    let state = LogState(number: 7, levels: [10: 0, 20: 0, 30: 0], deletion: 2)
    #expect(try await Self.log(script).commit(commit, after: state) == .committed)
    let statement = try #require(script.statements.first)
    #expect(
      statement.hasPrefix("CREATE TABLE slot_8 (`t_30_0` UInt8, `t_50_1` UInt8, `d_2` UInt8)"))
    #expect(statement.contains("/slots/8', 'taken')"))
  }

  /// ClickHouse 18.16: the same path with other columns, and with the same.
  @Test(arguments: [57, 122, 253])
  func aNumberThatAnotherTookIsTaken(code: Int) async throws {
    let script = ScriptedServer()
    script.refuse("CREATE TABLE slot_1 ", code: code)
    #expect(try await Self.log(script).commit(LogCommit(tag: 5), after: .init()) == .taken)
    #expect(script.statements.count == 1)
  }

  /// The slot was dropped long ago, so it could be made again.
  @Test func aNumberThatOthersHavePassedIsNotCommitted() async throws {
    let script = ScriptedServer()
    Self.lastSlot(script, 9)
    let failure = await #expect(throws: ClickHouseError.self) {
      try await Self.log(script).commit(LogCommit(tag: 5), after: .init(number: 2))
    }
    #expect(failure?.failure.kind == .unavailable)
  }

  @Test func aTagThatWasGivenUpNeverCounts() async throws {
    let script = ScriptedServer()
    let state = LogState(number: 4, levels: [1: 0]).followed(by: LogCommit(tag: 7, replaces: [5]))
    #expect(state.givenUp == [5: 5])
    #expect(try await Self.log(script).commit(LogCommit(tag: 5), after: state) == .givenUp)
    #expect(script.statements.isEmpty)
  }

  /// As long as an attempt that has begun before may go on.
  @Test func giveUpsAreForgottenLate() async throws {
    let script = ScriptedServer()
    Self.lastSlot(script, 12)
    var state = LogState(number: 11)
    state.givenUp = [5: 1, 6: 2, 7: 11]
    _ = try await Self.log(script).commit(LogCommit(tag: 8), after: state)
    let statement = try #require(script.statements.first)
    #expect(!statement.contains("g_5_") && statement.contains("`g_6_2`"))
  }

  /// Its rows may be gone, or not there yet.
  @Test func aReplicaThatFellBehindIsNotAsked() async throws {
    let script = ScriptedServer()
    Self.lastSlot(script, 3)
    script.answer("SELECT value FROM system.zookeeper") {
      $0.add("`r|1|b|127.0.0.1:9000|0` UInt8\n`t_4_0` UInt8")
    }
    var log = try Self.log(script)
    #expect(try await log.state().levels == [4: 0])
    log.asked = [Self.member]
    let failure = await #expect(throws: ClickHouseError.self) { try await log.state() }
    guard case .serversChanged = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }
}
