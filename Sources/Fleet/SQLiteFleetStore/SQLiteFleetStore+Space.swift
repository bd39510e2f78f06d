import FirstlightModel
import FleetModel
import GRDB
import SQLiteSupport

/// Gives back what removed rows took up.
extension SQLiteFleetStore {
  /// So many builds that are gone are remembered.
  private static let mostDropped = 10_000

  /// Removes what nothing refers to any more: names of source files, and the oldest builds that are gone.
  func removeOrphans() async throws {
    try await withoutTransaction { database in
      // Each file would be looked for in tables that have no index by it.
      try database.execute(sql: "PRAGMA foreign_keys = OFF")
      defer { try? database.execute(sql: "PRAGMA foreign_keys = ON") }
      try database.execute(
        sql: """
          DELETE FROM file WHERE id NOT IN (
            SELECT file FROM function WHERE file IS NOT NULL
            UNION SELECT file FROM unguarded WHERE file IS NOT NULL
            UNION SELECT file FROM inlined WHERE file IS NOT NULL)
          """)
      try database.execute(
        sql: """
          DELETE FROM dropped WHERE \(Self.isGone)
            AND at < (SELECT at FROM dropped ORDER BY at DESC LIMIT 1 OFFSET ?)
          """, arguments: [Self.mostDropped])
    }
  }

  /// As many pages are given back before others may write.
  private static let pagesAtATime = 2000

  /// Gives pages that are free back to the file system.
  func giveSpaceBack() async throws {
    do {
      var left = try await withoutTransaction { database in
        // A store from an earlier firstlightd has to be rewritten once.
        if try Self.pragma("auto_vacuum", in: database) == 0 {
          let free = try Self.pragma("freelist_count", in: database)
          guard try free * 4 > Self.pragma("page_count", in: database) else { return 0 }
          try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
          try database.execute(sql: "VACUUM")
        }
        return try Self.pragma("freelist_count", in: database)
      }
      while left > 0 {
        let before = left
        left = try await withoutTransaction { database in
          try database.execute(sql: "PRAGMA incremental_vacuum(\(Self.pagesAtATime))")
          return try Self.pragma("freelist_count", in: database)
        }
        if left >= before { break }
      }
      // The file itself shrinks only then.
      try await withoutTransaction { _ = try $0.checkpoint(.truncate) }
    } catch let failure as Failure where failure.kind == .unavailable {
      // A reader is in the way, or there is no room for a copy: the pages are filled again, and the next
      // deletion tries once more.
    }
  }

  private func withoutTransaction<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      return try await pool.writeWithoutTransaction(body)
    } catch let error as DatabaseError {
      throw SQLFailure.of(error, path: path)
    }
  }

  static func pragma(_ name: String, in database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0
  }
}
