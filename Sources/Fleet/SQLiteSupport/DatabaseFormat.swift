import FirstlightModel
import GRDB
import Glibc
import ProfileFile

/// The format of a kind of database. Files of another version are refused, never converted.
package struct DatabaseFormat: Sendable {
  private let applicationID: Int32
  package let version: Int32
  private let noun: String
  private let tables: String

  /// - Parameters:
  ///   - applicationID: SQLite's application id of the kind.
  ///   - version: rises when a table changes.
  ///   - noun: the kind in messages: `store`.
  ///   - tables: the statements that create the tables.
  package init(applicationID: Int32, version: Int32, noun: String, tables: String) {
    self.applicationID = applicationID
    self.version = version
    self.noun = noun
    self.tables = tables
  }

  /// - Returns: whether the database is empty, so that its tables can be created.
  /// - Throws: `.data` if it is neither empty nor of this format.
  package func check(_ database: Database, _ path: String) throws -> Bool {
    let id = try Int32.fetchOne(database, sql: "PRAGMA application_id")
    if id == 0, try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0 {
      return true
    }
    guard id == applicationID else {
      throw Failure(
        .data, "\(path): not a \(noun) of this firstlightd",
        advice: "move the file away, or name another")
    }
    let version = try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard version == self.version else {
      throw Failure(
        .data, "\(path): \(noun) format \(version); this firstlightd reads format \(self.version)",
        advice: "use the firstlightd that made it, or move the file away")
    }
    return false
  }

  /// Creates the tables of an empty database.
  package func create(in database: Database) throws {
    try database.execute(sql: tables)
    try database.execute(
      sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
  }
}
