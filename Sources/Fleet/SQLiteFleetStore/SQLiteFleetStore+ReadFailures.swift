import FirstlightModel
import FleetModel
import GRDB
import SQLiteSupport

/// Files whose readers had to be stopped.
extension SQLiteFleetStore {
  /// As many files of one build are remembered: as many as there are places to look for one, and more.
  private static let filesOfBuild = 8

  package func note(_ failure: ReadFailure, of build: BuildKey) async throws {
    try await write { database in
      guard let id = try Self.row(of: build, in: database)?.id else { return }
      try database.execute(
        sql: "INSERT OR REPLACE INTO read_failure VALUES (?, ?, ?, ?, ?)",
        arguments: [id, failure.file, failure.reason, failure.attempts, failure.at])
      try database.execute(
        sql: """
          DELETE FROM read_failure WHERE build = ? AND file NOT IN (
            SELECT file FROM read_failure WHERE build = ? ORDER BY at DESC LIMIT ?)
          """, arguments: [id, id, Self.filesOfBuild])
    }
  }

  package func readFailure(ofFile file: String) async throws -> ReadFailure? {
    try await read { database in
      try Row.fetchOne(
        database,
        sql: """
          SELECT file, reason, attempts, at FROM read_failure WHERE file = ?
          ORDER BY attempts DESC, at DESC LIMIT 1
          """, arguments: [file]
      ).map(Self.readFailure)
    }
  }

  /// The last one of a build.
  func readFailure(ofBuild id: Int64, in database: Database) throws -> ReadFailure? {
    try Row.fetchOne(
      database,
      sql: """
        SELECT file, reason, attempts, at FROM read_failure WHERE build = ? ORDER BY at DESC LIMIT 1
        """, arguments: [id]
    ).map(Self.readFailure)
  }

  private static func readFailure(_ row: Row) throws -> ReadFailure {
    ReadFailure(
      file: try row.value(0), reason: try row.value(1), attempts: try row.value(2),
      at: try row.value(3))
  }
}
