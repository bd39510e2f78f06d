import FirstlightModel

/// The log of a store without replicas: the first server keeps it.
///
/// Number n is taken by making the table `slot_n`, which a server does for one only, whoever else tries at
/// the same moment. The table `committed` keeps what the slots said; they are dropped again later.
struct ServerCommitLog: CommitLog {
  let server: ClickHouseServer
  let database: String
  let tuning: ClickHouseTuning

  var name: String { server.name }

  func state() async throws(ClickHouseError) -> LogState {
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
  func commit(_ commit: LogCommit, after state: LogState) async throws(ClickHouseError)
    -> CommitOutcome
  {
    let number = state.number + 1
    let columns =
      ["t\(commit.tag)_\(commit.level) UInt8"] + commit.replaces.map { "r\($0) UInt8" }
    do {
      try await server.run(
        "CREATE TABLE slot_\(number) (\(columns.joined(separator: ", "))) ENGINE = Null")
    } catch .exists {
      return .taken
    }
    // A slot that was dropped long ago can be made again: it counts only if nobody got further. And
    // whoever has given up the tag has done so by a number that was noted before this one was taken.
    let known = try await server.read(
      """
      SELECT max(number), countIf(tag = \(commit.tag)),
        countIf(number < \(number) AND has(replaces, toUInt64(\(commit.tag))))
      FROM committed
      """
    ) { row throws(Failure) in
      (
        reached: try row.integer(UInt64.self), mine: try row.integer(UInt64.self),
        givenUp: try row.integer(UInt64.self) > 0
      )
    }.first
    let reached = known?.reached ?? 0
    if reached >= number, known?.mine == 0 { return .taken }
    if reached < number { try await record(commit, number: number) }
    if number % tuning.keptSlots == 0 {
      try? await dropSlots(before: number - tuning.keptSlots / 2)
    }
    return known?.givenUp == true ? .givenUp : .committed
  }

  /// Notes what a slot says, unless that was done.
  ///
  /// The server decides whether it was: who notes a commit may have stood still since it looked, until
  /// nobody remembers the commit. Whose tag was given up before is noted without what it replaces: as it
  /// never counts, the others have to.
  private func record(_ commit: LogCommit, number: UInt64) async throws(ClickHouseError) {
    let none = "emptyArrayUInt64()"
    let replaces =
      commit.replaces.isEmpty
      ? none : "arrayMap(x -> toUInt64(x), \(SQLText.array(commit.replaces)))"
    try await server.run(
      """
      INSERT INTO committed SELECT toUInt64(\(number)), toUInt64(\(commit.tag)),
        toUInt32(\(commit.level)), if(given_up = 0, \(replaces), \(none))
      FROM (
        SELECT max(number) AS reached, countIf(has(replaces, toUInt64(\(commit.tag)))) AS given_up
        FROM committed
      ) WHERE reached < \(number)
      """)
  }

  /// All commits that are noted: by one statement, so that they are those of one moment.
  private func commits() async throws(ClickHouseError) -> [(number: UInt64, commit: LogCommit)] {
    try await server.read("SELECT number, tag, level, replaces FROM committed") {
      row throws(Failure) in
      (
        try row.integer(UInt64.self),
        LogCommit(
          tag: try row.integer(UInt64.self), level: try row.integer(UInt32.self),
          replaces: try row.integers(UInt64.self))
      )
    }
  }

  private func recorded() async throws(ClickHouseError) -> LogState {
    let commits = try await commits()
    let replaced = Set(commits.flatMap(\.commit.replaces))
    var state = LogState()
    for (number, commit) in commits {
      // Of all commits, also of those that were given up before.
      state.number = max(state.number, number)
      if commit.level == LogCommit.deletionLevel {
        state.deletion = max(state.deletion, number)
      } else if !replaced.contains(commit.tag) {
        state.levels[commit.tag] = commit.level
      }
    }
    return state
  }

  private func slots() async throws(ClickHouseError) -> [UInt64: LogCommit] {
    let columns = try await server.read(
      """
      SELECT table, name FROM system.columns
      WHERE database = \(SQLText.quoted(database)) AND table LIKE 'slot%'
      """
    ) { row throws(Failure) in (try row.text(), try row.text()) }
    var slots: [UInt64: LogCommit] = [:]
    for (table, column) in columns {
      guard let number = UInt64(table.dropFirst(5)) else { continue }
      var commit = slots[number] ?? LogCommit(tag: 0)
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

  /// Forgets the commits that were replaced, but for the last few and those that keep one of these from
  /// counting.
  func prune(_ state: LogState) async throws(ClickHouseError) {
    guard state.number > tuning.keptCommits else { return }
    let first = state.number - tuning.keptCommits
    let commits = try await commits()
    let kept = Set(commits.lazy.filter { $0.number >= first }.map(\.commit.tag))
    let needed = commits.filter { entry in
      entry.number < first && entry.commit.replaces.contains { kept.contains($0) }
    }.map(\.number)
    let exceptions = needed.isEmpty ? "" : " AND number NOT IN \(SQLText.list(needed.sorted()))"
    try await server.run(
      """
      ALTER TABLE committed DELETE WHERE number < \(first)
      AND tag NOT IN \(SQLText.list(state.levels.keys.sorted()))\(exceptions)
      """)
  }
}
