import FirstlightModel
import FleetModel
import GRDB

/// Removes the data that retention selected.
extension SQLiteFleetStore {
  package func drop(
    _ deletions: [Deletion], report: @Sendable (Deletion, DeletedRows) -> Void
  ) async throws {
    var all = DeletedRows()
    for deletion in deletions {
      let rows: DeletedRows
      switch deletion.target {
      case .days(let cutoff):
        rows = try await dropDays(before: cutoff, deletion, report)
      case .build(let key, let program, let lastReport):
        let dropped = DroppedEvidence(
          build: key, program: program, before: FleetDay(number: lastReport.number + 1),
          reason: deletion.reason)
        rows = try await dropBuild(dropped, deletion, lastReport: lastReport)
      }
      if rows.isEmpty { continue }
      report(deletion, rows)
      all.builds += rows.builds
      all.days += rows.days
    }
    if all.builds > 0 { try await forgetRemovals() }
    if !all.isEmpty { try await giveSpaceBack() }
  }

  private func dropBuild(
    _ dropped: DroppedEvidence, _ deletion: Deletion, lastReport: FleetDay
  ) async throws -> DeletedRows {
    try await write { database in
      // The build may have reported since it was selected.
      let isYounger = try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (SELECT 1 FROM build LEFT JOIN state ON state.build = build.id
              LEFT JOIN function_table ON function_table.build = build.id
            WHERE build_id = ? AND recorder = ? AND (received > ? OR registered > ?))
          """,
        arguments: [
          dropped.build.buildID.description, dropped.build.recorder.rawValue, lastReport.number,
          lastReport.number,
        ])
      if isYounger == true { return DeletedRows() }
      guard let rows = try Self.remove(dropped.build, in: database) else { return DeletedRows() }
      try Self.note(dropped, in: database)
      try Self.note("dropped \(deletion) by \(deletion.reason)", in: database)
      return rows
    }
  }

  /// A transaction for each day, so that arriving rows need not wait for all of them.
  private func dropDays(
    before cutoff: FleetDay, _ deletion: Deletion,
    _ report: @Sendable (Deletion, DeletedRows) -> Void
  ) async throws -> DeletedRows {
    let days = try await read { database in
      try Int32.fetchAll(
        database,
        sql: """
          SELECT DISTINCT day FROM state GROUP BY day, build, \(Self.undatedPart)
          HAVING max(received) < ? ORDER BY day
          """, arguments: [cutoff.number])
    }
    var all = DeletedRows()
    do {
      for day in days {
        let rows = try await write { database in
          try Self.drop(FleetDay(number: day), before: cutoff, deletion.reason, in: database)
        }
        all.days += rows.days
        all.sums += rows.sums
        all.sampledTraces += rows.sampledTraces
      }
    } catch {
      // Reports the removals even if the rest failed.
      if !all.isEmpty { report(deletion, all) }
      throw error
    }
    return all
  }

  private static func drop(
    _ day: FleetDay, before cutoff: FleetDay, _ reason: String, in database: Database
  ) throws -> DeletedRows {
    // Data may have arrived since the days were selected.
    let builds = try Row.fetchAll(
      database,
      sql: """
        SELECT build.id, build_id, recorder, program FROM build
        WHERE id IN (
          SELECT build FROM state WHERE day = ? GROUP BY build, \(undatedPart)
          HAVING max(received) < ?)
        """, arguments: [day.number, cutoff.number])
    var rows = DeletedRows()
    for build in builds {
      let ofDay: StatementArguments = [try build.value(0) as Int64, day.number, cutoff.number]
      rows.sums +=
        try Int.fetchOne(
          database,
          sql: """
            SELECT ifnull(sum(called), 0) FROM state WHERE build = ? AND day = ? AND received < ?
            """, arguments: ofDay) ?? 0
      try database.execute(
        cachedSQL: "DELETE FROM state WHERE build = ? AND day = ? AND received < ?",
        arguments: ofDay)
      // The traces' records of loaded images go too. Includes traces of days without rows, which came too late.
      try database.execute(
        cachedSQL: """
          DELETE FROM sampled_trace WHERE program = ? AND day < ?
            AND day NOT IN (SELECT day FROM state WHERE build = program)
          """, arguments: [try build.value(0) as Int64, cutoff.number])
      rows.sampledTraces += database.changesCount
      rows.days += 1
      try note(
        DroppedEvidence(
          build: try build.build(1), program: try build.value(3), before: cutoff, reason: reason),
        in: database)
    }
    if rows.days > 0 {
      try note(
        "dropped day \(day) of \(rows.days) \(rows.days == 1 ? "build" : "builds") by \(reason)",
        in: database)
    }
    return rows
  }
}

/// Records removals, so that answers can mention them.
extension SQLiteFleetStore {
  static func note(_ dropped: DroppedEvidence, in database: Database) throws {
    try database.execute(
      cachedSQL: """
        INSERT INTO dropped VALUES (?, ?, ?, ?, ?, strftime('%s', 'now'))
        ON CONFLICT DO UPDATE SET program = excluded.program, before = max(before, excluded.before),
          reason = excluded.reason, at = excluded.at
        """,
      arguments: [
        dropped.build.buildID.description, dropped.build.recorder.rawValue, dropped.program,
        dropped.before.number, dropped.reason,
      ])
  }

  /// The removal of a build's evidence.
  static func dropped(_ build: BuildKey, in database: Database) throws -> DroppedEvidence? {
    try Row.fetchOne(
      database.cachedStatement(sql: "\(removals) WHERE build_id = ? AND recorder = ?"),
      arguments: [build.buildID.description, build.recorder.rawValue]
    ).map(removal)
  }

  private static let removals = "SELECT build_id, recorder, program, before, reason FROM dropped"

  private static func removal(_ row: Row) throws -> DroppedEvidence {
    DroppedEvidence(
      build: try row.build(0), program: try row.value(2),
      before: FleetDay(number: try row.value(3)), reason: try row.value(4))
  }

  package func droppedBuilds(limit: Int) async throws -> [DroppedEvidence] {
    try await read { database in
      try Row.fetchAll(
        database,
        sql: """
          \(Self.removals) WHERE \(Self.isListed) AND \(Self.isGone)
          ORDER BY at DESC, before DESC, program, build_id LIMIT ?
          """, arguments: [limit]
      ).map(Self.removal)
    }
  }

  /// The condition that the build in a row of `dropped` no longer exists.
  static let isGone = """
    NOT EXISTS (SELECT 1 FROM build
      WHERE build.build_id = dropped.build_id AND build.recorder = dropped.recorder)
    """
}
