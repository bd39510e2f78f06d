import FirstlightModel
import FleetModel
import GRDB
import SQLiteSupport

/// Handles builds whose rows disagree.
///
/// Any user who may send rows can claim any number of guards for a build. Rows with different claims
/// are kept apart, up to `TraceLimits.claims` of a build. Answers use the true claim: that of the function table with
/// most proof, if that is more than `TableProof.found`, else that of most runs.
extension SQLiteFleetStore {
  /// Orders the rows of one build, the true one first.
  private static let byTruth = """
    ifnull(proof, 0) DESC, variant.sum_runs DESC, proof IS NOT NULL DESC, guards
    """

  /// The condition that a row of `build` is the true one of its build.
  static let isTrue = """
    (NOT EXISTS (SELECT 1 FROM build AS variant
      WHERE variant.build_id = build.build_id AND variant.recorder = build.recorder
        AND variant.id <> build.id)
    OR id = (SELECT id FROM build AS variant LEFT JOIN function_table ON build = id
      WHERE variant.build_id = build.build_id AND variant.recorder = build.recorder
      ORDER BY \(byTruth) LIMIT 1))
    """

  /// The true row of a build; nil if the build is unknown.
  static func row(of key: BuildKey, in database: Database) throws -> BuildRow? {
    try Row.fetchOne(
      database.cachedStatement(
        sql: "SELECT id, guards FROM build WHERE build_id = ? AND recorder = ? AND \(isTrue)"),
      arguments: [key.buildID.description, key.recorder.rawValue]
    ).map { BuildRow(id: try $0.value(0), key: key, guardCount: try $0.value(1)) }
  }

  /// The id of a build's row with this number of guards; nil if there is none.
  static func row(
    of key: BuildKey, guardCount: Int, in database: Database
  ) throws -> Int64? {
    try Int64.fetchOne(
      database.cachedStatement(
        sql: "SELECT id FROM build WHERE build_id = ? AND recorder = ? AND guards = ?"),
      arguments: [key.buildID.description, key.recorder.rawValue, guardCount])
  }

  /// The id of the build's row with this number of guards, which is created without a name if there is room for it.
  /// - Returns: nil if the build has as many rows as it may.
  static func admittedID(
    of key: BuildKey, guardCount: Int, isExecutable: Bool, in database: Database
  ) throws -> Int64? {
    if try row(of: key, guardCount: guardCount, in: database) == nil,
      try claimCount(of: key, in: database) >= TraceLimits.claims
    {
      return nil
    }
    return try id(of: key, guardCount: guardCount, isExecutable: isExecutable, in: database)
  }

  static func claimCount(of key: BuildKey, in database: Database) throws -> Int {
    try Int.fetchOne(
      database.cachedStatement(
        sql: "SELECT count(*) FROM build WHERE build_id = ? AND recorder = ?"),
      arguments: [key.buildID.description, key.recorder.rawValue]) ?? 0
  }

  package func forget(
    _ build: BuildKey, by author: String, on today: FleetDay
  ) async throws -> Bool {
    try await write { database in
      let program = try String.fetchOne(
        database, sql: "SELECT min(program) FROM build WHERE build_id = ? AND recorder = ?",
        arguments: [build.buildID.description, build.recorder.rawValue])
      guard let program, try Self.remove(build, in: database) != nil else { return false }
      for key in [build, build.counters].compactMap(\.self) {
        _ = try Self.remove(key, in: database)
        try Self.note(
          DroppedEvidence(
            build: key, program: program, before: FleetDay(number: today.number + 1),
            reason: "fleet forget"), in: database)
      }
      try Self.note(
        "forgot build \(build.buildID) (\(build.recorder.rawValue)), by \(author)",
        in: database)
      return true
    }
  }

  /// Removes all rows of a build.
  /// - Returns: nil if there is no such build.
  static func remove(_ build: BuildKey, in database: Database) throws -> DeletedRows? {
    let ids = try Int64.fetchAll(
      database, sql: "SELECT id FROM build WHERE build_id = ? AND recorder = ?",
      arguments: [build.buildID.description, build.recorder.rawValue])
    guard !ids.isEmpty else { return nil }
    var rows = DeletedRows()
    rows.builds = 1
    for id in ids {
      rows.days += try count(
        "SELECT count(DISTINCT day) FROM state WHERE build = ?", id, in: database)
      rows.sums += try count(
        "SELECT ifnull(sum(called), 0) FROM state WHERE build = ?", id, in: database)
      try database.execute(
        sql: """
          DELETE FROM sampled_image WHERE build = ?
          OR trace IN (SELECT id FROM sampled_trace WHERE program = ?)
          """, arguments: [id, id])
      try database.execute(sql: "DELETE FROM sampled_trace WHERE program = ?", arguments: [id])
      rows.sampledTraces += database.changesCount
      for table in ["function_table", "state", "caller", "read_failure", "build_name"] {
        try database.execute(sql: "DELETE FROM \(table) WHERE build = ?", arguments: [id])
      }
      try database.execute(sql: "DELETE FROM build WHERE id = ?", arguments: [id])
    }
    try database.execute(
      sql: "DELETE FROM contradiction WHERE build_id = ? AND recorder = ?",
      arguments: [build.buildID.description, build.recorder.rawValue])
    return rows
  }

  /// Records a removal in `audit`.
  static func note(_ what: String, in database: Database) throws {
    try database.execute(
      sql: "INSERT INTO audit (at, what) VALUES (strftime('%s', 'now'), ?)", arguments: [what])
  }

  static func count(_ sql: String, _ id: Int64, in database: Database) throws -> Int {
    try Int.fetchOne(database, sql: sql, arguments: [id]) ?? 0
  }
}
