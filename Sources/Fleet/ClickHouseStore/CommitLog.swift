import FirstlightModel

/// What counts of all that was ever written: a log of commits, kept by the first server.
///
/// Every row of the store carries the tag of the attempt that wrote it, and counts if that tag was
/// committed. A commit is a number: number n is taken by making the table `slot_n`, which a server
/// does for one only, whoever else tries at the same moment. So attempts that broke off, or whose
/// rows land after everybody has given them up, add nothing; and who commits number n has seen all
/// commits before it. The table `committed` keeps what the slots said; they are dropped again later.
struct CommitLog: Sendable {
  let server: ClickHouseServer
  let database: String
  let tuning: ClickHouseTuning

  /// The log as it was at one moment.
  struct State: Hashable, Sendable {
    /// The last commit's; 0 if there is none.
    var number: UInt64 = 0
    /// Tags that count, with their level: 0 for batches, more for sums of tags.
    var levels: [UInt64: UInt32] = [:]

    /// The condition that a row counts.
    var isLive: String { "tag IN \(SQLText.list(levels.keys.sorted()))" }
  }

  /// What one commit says.
  struct Commit: Hashable, Sendable {
    var tag: UInt64
    var level: UInt32 = 0
    /// Tags whose rows it replaces by its own.
    var replaces: [UInt64] = []
  }

  /// What became of a commit.
  enum Outcome {
    case committed
    /// Another took the number first.
    case taken
    /// Another has given up the tag, and may have removed its rows: they never count.
    case givenUp
  }

  func state() async throws(ClickHouseError) -> State {
    // Slots first: one that is taken for the last below then really was, see `commit`.
    let slots = try await slots()
    var state = try await recorded()
    if let (number, commit) = slots.max(by: { $0.key < $1.key }), number > state.number {
      // Whoever took it has not come to saying so, or never will.
      try await record(commit, number: number)
      state = try await recorded()
    }
    return state
  }

  /// Takes the number behind a state.
  /// - Throws: when it is not known whether it was taken: a new attempt finds out.
  func commit(_ commit: Commit, after state: State) async throws(ClickHouseError) -> Outcome {
    let number = state.number + 1
    let columns =
      ["t\(commit.tag)_\(commit.level) UInt8"] + commit.replaces.map { "r\($0) UInt8" }
    do {
      try await server.run(
        "CREATE TABLE slot_\(number) (\(columns.joined(separator: ", "))) ENGINE = Null")
    } catch .exists {
      return .taken
    }
    // A slot that was dropped long ago can be made again: it counts only if nobody got further.
    let last = try await server.read(
      "SELECT max(number), countIf(tag = \(commit.tag)) FROM committed"
    ) { row throws(Failure) in (try row.integer(UInt64.self), try row.integer(UInt64.self)) }
    if let (reached, mine) = last.first, reached >= number, mine == 0 { return .taken }
    if last.first.map({ $0.0 < number }) ?? true { try await record(commit, number: number) }
    if number % tuning.keptSlots == 0 {
      try? await dropSlots(before: number - tuning.keptSlots / 2)
    }
    let givenUp = try await server.read(
      "SELECT count() FROM committed WHERE number < \(number) AND has(replaces, \(commit.tag))"
    ) { row throws(Failure) in try row.integer(UInt64.self) }
    return givenUp.first ?? 0 > 0 ? .givenUp : .committed
  }

  /// Says of tags that were not committed that they never will be: who commits one afterwards is told so.
  /// The tag that says it has no rows, and goes with the next tags that are added up.
  /// - Returns: those of the tags that are given up now.
  func giveUp(_ tags: Set<UInt64>) async throws(ClickHouseError) -> Set<UInt64> {
    let own = Attempt(at: tuning.now()).tag
    for _ in 0..<20 {
      let state = try await state()
      let abandoned = tags.filter { state.levels[$0] == nil }
      if abandoned.isEmpty { return [] }
      let commit = Commit(tag: own, replaces: abandoned.sorted())
      if try await self.commit(commit, after: state) == .committed { return abandoned }
    }
    return []
  }

  private func record(_ commit: Commit, number: UInt64) async throws(ClickHouseError) {
    var rows = RowWriter()
    rows.row()
    rows.add(number)
    rows.add(commit.tag)
    rows.add(commit.level)
    rows.add(array: commit.replaces)
    try await server.insert(rows, into: "committed")
  }

  private func recorded() async throws(ClickHouseError) -> State {
    // Of all commits, also of those that were given up before; and first, so that none counts as seen whose
    // tag is not among those below.
    let reached = try await server.read("SELECT max(number) FROM committed") {
      row throws(Failure) in try row.integer(UInt64.self)
    }
    let rows = try await server.read(
      """
      SELECT number, tag, level FROM committed
      WHERE tag NOT IN (SELECT arrayJoin(replaces) FROM committed)
      """
    ) { row throws(Failure) in
      (try row.integer(UInt64.self), try row.integer(UInt64.self), try row.integer(UInt32.self))
    }
    var state = State(number: reached.first ?? 0)
    for (number, tag, level) in rows {
      state.number = max(state.number, number)
      state.levels[tag] = level
    }
    return state
  }

  private func slots() async throws(ClickHouseError) -> [UInt64: Commit] {
    let columns = try await server.read(
      """
      SELECT table, name FROM system.columns
      WHERE database = \(SQLText.quoted(database)) AND table LIKE 'slot%'
      """
    ) { row throws(Failure) in (try row.text(), try row.text()) }
    var slots: [UInt64: Commit] = [:]
    for (table, column) in columns {
      guard let number = UInt64(table.dropFirst(5)) else { continue }
      var commit = slots[number] ?? Commit(tag: 0)
      let parts = column.dropFirst().split(separator: "_")
      if column.hasPrefix("r"), let tag = UInt64(column.dropFirst()) {
        commit.replaces.append(tag)
      } else if parts.count == 2, let tag = UInt64(parts[0]), let level = UInt32(parts[1]) {
        commit.tag = tag
        commit.level = level
      }
      slots[number] = commit
    }
    return slots
  }

  private func dropSlots(before number: UInt64) async throws(ClickHouseError) {
    for slot in try await slots().keys.sorted() where slot < number {
      try await server.run("DROP TABLE IF EXISTS slot_\(slot)")
    }
  }

  /// Forgets the commits that were replaced, but for the last few.
  func prune(_ state: State) async throws(ClickHouseError) {
    guard state.number > tuning.keptCommits else { return }
    try await server.run(
      """
      ALTER TABLE committed DELETE WHERE number < \(state.number - tuning.keptCommits)
      AND tag NOT IN \(SQLText.list(state.levels.keys.sorted()))
      """)
  }
}
