import FirstlightModel
import FleetModel
import GRDB

/// What was removed, so that answers can say so.
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

  /// What was removed of a build.
  static func dropped(_ build: BuildKey, in database: Database) throws -> DroppedEvidence? {
    try Row.fetchOne(
      database,
      sql: "SELECT program, before, reason FROM dropped WHERE build_id = ? AND recorder = ?",
      arguments: [build.buildID.description, build.recorder.rawValue]
    ).map { row in
      DroppedEvidence(
        build: build, program: try row.value(0), before: FleetDay(number: try row.value(1)),
        reason: try row.value(2))
    }
  }

  package func droppedBuilds(limit: Int) async throws -> [DroppedEvidence] {
    try await read { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT build_id, recorder, program, before, reason FROM dropped
          WHERE \(Self.isGone) ORDER BY at DESC, before DESC, program, build_id LIMIT ?
          """, arguments: [limit])
      return try rows.compactMap { row in
        guard let buildID = BuildID(try row.value(0)),
          let recorder = Recorder(rawValue: try row.value(1))
        else { return nil }
        return DroppedEvidence(
          build: BuildKey(buildID: buildID, recorder: recorder), program: try row.value(2),
          before: FleetDay(number: try row.value(3)), reason: try row.value(4))
      }
    }
  }

  /// The condition that the build of a row of `dropped` is not there.
  static let isGone = """
    NOT EXISTS (SELECT 1 FROM build
      WHERE build.build_id = dropped.build_id AND build.recorder = dropped.recorder)
    """
}
