import FirstlightModel
import FleetModel

/// Removes what retention has decided on.
extension ClickHouseFleetStore {
  /// What has a day of a build, in the order in which rows go: `sums` says that a day is there and that it
  /// is old.
  private static let ofDays = [
    ClickHouseSchema.called, ClickHouseSchema.stage, ClickHouseSchema.sampledTrace,
    ClickHouseSchema.sums,
  ].map(\.name)
  /// So many builds fit in a statement.
  private static let buildsAtATime = 200

  package func drop(
    _ deletions: [Deletion], report: @Sendable (Deletion, DeletedRows) -> Void
  ) async throws {
    for deletion in deletions {
      var rows = DeletedRows()
      try await alone { () async throws in
        switch deletion.target {
        case .days(let cutoff):
          rows = try await self.dropDays(before: cutoff, deletion.reason)
        case .build(let key, let program, let lastReport):
          rows = try await self.dropBuild(
            DroppedEvidence(
              build: key, program: program, before: FleetDay(number: lastReport.number + 1),
              reason: deletion.reason))
        }
        guard !rows.isEmpty else { return }
        try await self.note("dropped \(deletion) by \(deletion.reason)")
      }
      if !rows.isEmpty { report(deletion, rows) }
    }
  }

  private func dropBuild(_ dropped: DroppedEvidence) async throws -> DeletedRows {
    let (state, received) = try await consistently { ($0, try await self.received($0)) }
    // It may have reported since it was asked which builds are old.
    let isYounger = received.contains {
      $0.key.build == dropped.build && $0.value >= dropped.before
    }
    guard !isYounger,
      try await guardCounts(of: [dropped.build], in: state)[dropped.build] != nil
    else { return DeletedRows() }
    let isOf = SQLText.isOf(dropped.build)
    var rows = try await deletedRows(
      state, of: isOf, functions: "build = \(SQLText.number(of: dropped.build))", samples: isOf)
    rows.builds = 1
    try await note([dropped])
    try await remove(dropped.build)
    return rows
  }

  /// Rows that are not committed yet stay, as their traces count once they are.
  private func dropDays(before cutoff: FleetDay, _ reason: String) async throws -> DeletedRows {
    var all: DeletedRows?
    while true {
      let (state, rows) = try await dropDaysOnce(before: cutoff, reason)
      // What is done again is what was added up meanwhile.
      all = all ?? rows
      if rows.isEmpty { break }
      if try await noteDeletion(since: state) { break }
    }
    return all ?? DeletedRows()
  }

  /// - Returns: the state of which rows were removed, and how many.
  private func dropDaysOnce(
    before cutoff: FleetDay, _ reason: String
  ) async throws -> (LogState, DeletedRows) {
    let (state, received, programs) = try await consistently {
      ($0, try await self.received($0), try await self.programs($0))
    }
    let old = received.filter { $0.value < cutoff }.keys
    let days = Dictionary(grouping: old, by: \.build).sorted { $0.key < $1.key }
    var all = DeletedRows()
    for start in stride(from: 0, to: days.count, by: Self.buildsAtATime) {
      let part = days[start..<min(start + Self.buildsAtATime, days.count)]
      func condition(_ table: String) -> String {
        let day = table == "sampled_trace" ? "toInt32(floor(started_at / 86400))" : "day"
        let builds = part.map { build, days in
          let numbers = days.map { String($0.day.number) }.sorted().joined(separator: ",")
          return "(\(self.isOf(build, in: table)) AND \(day) IN (\(numbers)))"
        }
        return "\(state.isLive) AND (\(builds.joined(separator: " OR ")))"
      }
      let rows = try await deletedRows(
        state, of: condition("sums"), functions: condition("called"),
        samples: condition("sampled_trace"))
      all.days += part.reduce(0) { $0 + $1.value.count }
      all.sums += rows.sums
      all.sampledTraces += rows.sampledTraces
      try await note(
        part.map { build, _ in
          DroppedEvidence(
            build: build, program: programs[build] ?? "", before: cutoff, reason: reason)
        })
      try await delete(from: Self.ofDays, where: condition)
    }
    return (state, all)
  }

  /// How much a condition holds for.
  private func deletedRows(
    _ state: LogState, of condition: String, functions: String, samples: String
  ) async throws(ClickHouseError) -> DeletedRows {
    func count(_ sql: String) async throws(ClickHouseError) -> Int {
      try await first.read(sql) { row throws(Failure) in try row.number(UInt64.self) }.first ?? 0
    }
    var rows = DeletedRows()
    rows.days = try await count(
      "SELECT uniq(day) FROM sums WHERE \(state.isLive) AND \(condition)")
    rows.sums = try await count(
      """
      SELECT uniq(sum) FROM (
        SELECT cityHash64(\(SQLText.build), day, \(SQLText.label), called.guard) AS sum
        FROM sums ARRAY JOIN called WHERE \(state.isLive) AND \(condition)
        UNION ALL
        SELECT cityHash64(build, day, label, guard) AS sum FROM called
        WHERE \(state.isLive) AND \(functions)
      )
      """)
    rows.sampledTraces = try await count(
      "SELECT count() FROM sampled_trace WHERE \(state.isLive) AND \(samples)")
    return rows
  }

  /// Before anything goes: who asks meanwhile is told rather too much.
  private func note(_ dropped: [DroppedEvidence]) async throws(ClickHouseError) {
    var rows = RowWriter()
    for dropped in dropped {
      rows.row()
      rows.add(dropped.build.buildID.description)
      rows.add(dropped.build.recorder.rawValue)
      rows.add(dropped.program)
      rows.add(dropped.before.number)
      rows.add(dropped.reason)
      rows.add(UInt64(max(0, tuning.now())))
    }
    try await first.insert(rows, into: "dropped")
  }

  /// What was removed of the builds that a condition holds for.
  func dropped(_ condition: String) async throws(ClickHouseError) -> [BuildKey: DroppedEvidence] {
    let rows = try await droppedRows("WHERE \(condition) \(Self.groups)")
    return Dictionary(rows.map { ($0.build, $0) }) { first, _ in first }
  }

  package func droppedBuilds(limit: Int) async throws -> [DroppedEvidence] {
    try await consistently(allowingGaps: true) { state in
      let known = Set(try await self.programs(state).keys)
      let rows = try await self.droppedRows(
        "\(Self.groups) ORDER BY max(at) DESC, day DESC, name, build_id")
      return Array(rows.lazy.filter { !known.contains($0.build) }.prefix(limit))
    }
  }

  private static let groups = "GROUP BY build_id, recorder"

  private func droppedRows(_ rest: String) async throws(ClickHouseError) -> [DroppedEvidence] {
    try await first.read(
      """
      SELECT build_id, recorder, min(program) AS name, max(before) AS day, argMax(reason, before)
      FROM dropped \(rest)
      """
    ) { row throws(Failure) in
      DroppedEvidence(
        build: try row.build(), program: try row.text(),
        before: FleetDay(number: try row.integer(Int32.self)), reason: try row.text())
    }
  }
}
