import FirstlightModel
import Testing

@testable import ClickHouseStore

/// The log of commits, statement by statement. `CommitScheduleTests` has several receivers use it at once.
@Suite struct CommitLogTests {
  private typealias Commit = LogCommit

  private static func tuning(_ change: (inout ClickHouseTuning) -> Void = { _ in })
    -> ClickHouseTuning
  {
    var tuning = ClickHouseTuning()
    tuning.now = { 1_790_000_000 }
    change(&tuning)
    return tuning
  }

  /// A server whose log has these commits, numbered from 1.
  private static func server(_ commits: [Commit]) -> ScriptedServer {
    let script = ScriptedServer()
    script.answer("SELECT number, tag, level, replaces FROM committed") { rows in
      for (place, commit) in commits.enumerated() {
        rows.add(UInt64(place + 1))
        rows.add(commit.tag)
        rows.add(commit.level)
        rows.add(array: commit.replaces)
      }
    }
    return script
  }

  /// What the server says of the last commit that is noted, when a number was taken.
  private static func reached(
    _ script: ScriptedServer, _ number: UInt64, mine: UInt64, givenUp: UInt64 = 0
  ) {
    script.answer("SELECT max(number), countIf(tag") { rows in
      rows.add(number)
      rows.add(mine)
      rows.add(givenUp)
    }
  }

  @Test func tagsCountUntilTheyAreReplaced() async throws {
    let log = try Self.server([
      Commit(tag: 10), Commit(tag: 20), Commit(tag: 30, level: 1, replaces: [10, 20]),
      Commit(tag: 40),
    ]).log()
    let state = try await log.state()
    #expect(state.number == 4)
    #expect(state.levels == [30: 1, 40: 0])
    #expect(state.isLive == "tag IN (30,40)")
    #expect(state.deletion == 0)
  }

  @Test func aDeletionIsNotedAndHasNoRows() async throws {
    let state = try await Self.server([Commit(tag: 10), Commit(tag: 20, level: 1000)]).log().state()
    #expect(state.levels == [10: 0])
    #expect(state.deletion == 2)
    #expect(LogState().isLive == "tag IN (0)")
  }

  @Test func aStateIsFollowedByWhatWasCommitted() {
    let state = LogState(number: 4, levels: [10: 0, 20: 0, 40: 1], deletion: 2)
    #expect(
      state.followed(by: Commit(tag: 50))
        == .init(number: 5, levels: [10: 0, 20: 0, 40: 1, 50: 0], deletion: 2))
    #expect(
      state.followed(by: Commit(tag: 50, level: 1, replaces: [10, 20]))
        == .init(number: 5, levels: [40: 1, 50: 1], deletion: 2))
  }

  @Test func aCommitTakesTheNextNumberByMakingItsTable() async throws {
    let script = Self.server([])
    let outcome = try await script.log().commit(
      Commit(tag: 50, level: 1, replaces: [10, 20]), after: .init(number: 7, levels: [10: 0]))
    #expect(outcome == .committed)
    #expect(
      script.statements.first
        == "CREATE TABLE slot_8 (t50_1 UInt8, r10 UInt8, r20 UInt8) ENGINE = Null")
    let noted = try #require(script.statements.last)
    #expect(noted.hasPrefix("INSERT INTO committed SELECT toUInt64(8), toUInt64(50),"))
    #expect(noted.contains("arrayMap(x -> toUInt64(x), [10,20])"))
    #expect(noted.hasSuffix("WHERE reached < 8"))
  }

  @Test func aNumberThatAnotherTookIsTaken() async throws {
    let script = Self.server([])
    script.refuse("CREATE TABLE slot_1 ", code: 57)
    #expect(try await script.log().commit(Commit(tag: 5), after: .init()) == .taken)
    #expect(script.statements.count == 1)
  }

  /// Its slot was dropped long ago, so that it could be made again.
  @Test func aNumberThatOthersHavePassedIsTaken() async throws {
    let script = Self.server([])
    Self.reached(script, 9, mine: 0)
    #expect(try await script.log().commit(Commit(tag: 5), after: .init(number: 2)) == .taken)
    // Another has noted it for us: then it counts.
    Self.reached(script, 9, mine: 1)
    #expect(try await script.log().commit(Commit(tag: 5), after: .init(number: 2)) == .committed)
  }

  @Test func aTagThatWasGivenUpNeverCounts() async throws {
    let script = Self.server([])
    Self.reached(script, 2, mine: 0, givenUp: 1)
    #expect(try await script.log().commit(Commit(tag: 5), after: .init(number: 2)) == .givenUp)
  }

  /// Whoever took the last number may have stopped before noting it.
  @Test func aSlotThatNobodyNotedIsNoted() async throws {
    let script = Self.server([Commit(tag: 10)])
    script.answer("SELECT table, name FROM system.columns") { rows in
      for column in ["t30_1", "r10"] {
        rows.add("slot_2")
        rows.add(column)
      }
      rows.add("slots_of_others")
      rows.add("x")
    }
    _ = try await script.log().state()
    #expect(script.statements.count == 1)
    #expect(
      script.statements.first?.hasPrefix(
        "INSERT INTO committed SELECT toUInt64(2), toUInt64(30),\n  toUInt32(1)") == true)
  }

  @Test func oldSlotsGoWhenThereAreMany() async throws {
    let script = Self.server([])
    script.answer("SELECT table, name FROM system.columns") { rows in
      for number in 1...8 {
        rows.add("slot_\(number)")
        rows.add("t\(number)_0")
      }
    }
    let log = try script.log(Self.tuning { $0.keptSlots = 4 })
    _ = try await log.commit(Commit(tag: 5), after: .init(number: 6))
    #expect(!script.statements.contains { $0.hasPrefix("DROP") })
    _ = try await log.commit(Commit(tag: 5), after: .init(number: 7))
    #expect(
      script.statements.filter { $0.hasPrefix("DROP") }
        == (1...5).map { "DROP TABLE IF EXISTS slot_\($0)" })
  }

  @Test func aStateIsOutdatedAfterHalfOfTheKeptCommits() throws {
    let log = try ScriptedServer().log(Self.tuning { $0.keptCommits = 100 })
    #expect(!log.isOutdated(.init(number: 10), now: .init(number: 60)))
    #expect(log.isOutdated(.init(number: 10), now: .init(number: 61)))
    #expect(!log.isOutdated(.init(number: 10), now: .init(number: 5)))
  }

  @Test func onlyTagsThatWereNotCommittedAreGivenUp() async throws {
    let script = Self.server([Commit(tag: 10)])
    let log = try script.log(Self.tuning())
    #expect(try await log.giveUp([10]) == [])
    #expect(script.statements.isEmpty)
    #expect(try await log.giveUp([10, 12, 11]) == [11, 12])
    let slot = try #require(script.statements.first)
    #expect(slot.hasPrefix("CREATE TABLE slot_2 (t") && slot.contains("_0 UInt8, r11 UInt8, r12"))
  }

  @Test func tryingEndsWhereOthersAreAlwaysFirst() async throws {
    let script = Self.server([])
    script.refuse("CREATE TABLE", code: 57)
    let log = try script.log(Self.tuning())
    let error = await #expect(throws: ClickHouseError.self) { try await log.noteDeletion() }
    #expect(error?.failure.kind == .unavailable)
    #expect(script.statements.count == 20)
    #expect(try await log.giveUp([1]) == [])
  }

  @Test func commitsAreForgottenButForThoseThatStillSpeak() async throws {
    // Number 1 gave up the tag of number 4, which is kept.
    let commits = [
      Commit(tag: 90, replaces: [13]), Commit(tag: 11), Commit(tag: 12), Commit(tag: 13),
      Commit(tag: 14),
    ]
    let script = Self.server(commits)
    let log = try script.log(Self.tuning { $0.keptCommits = 2 })
    try await log.prune(.init(number: 2))
    #expect(script.statements.isEmpty)
    try await log.prune(.init(number: 5, levels: [11: 0, 14: 0]))
    #expect(
      script.statements == [
        "ALTER TABLE committed DELETE WHERE number < 3\nAND tag NOT IN (11,14) AND number NOT IN (1)"
      ])
  }
}
