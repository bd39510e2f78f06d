import FirstlightModel
import FleetModel
import GRDB
import SQLiteSupport

extension IntakeLedger {
  /// Adds traces that an earlier version had put aside, and notes that an administrator wanted it.
  /// - Parameters:
  ///   - name: of what they are from: what was added once is not added again.
  ///   - note: begins with the name.
  /// - Returns: what could not be counted; nil if all was added before.
  package func add(
    _ traces: [FleetTrace], named name: String, note: String
  ) throws(Failure) -> [LostSums]? {
    try write { database in
      let isThere = try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM audit WHERE instr(what, ?) = 1)",
        arguments: [name])
      if isThere == true { return nil }
      try Self.add(note, to: database)
      return try StateRows(database, uptime: uptime(notedIn: database)).count(traces)
    }
  }

  /// Notes what an administrator did.
  package func note(_ what: String) throws(Failure) {
    try write { try Self.add(what, to: $0) }
  }

  private static func add(_ note: String, to database: Database) throws {
    try database.execute(
      cachedSQL: "INSERT INTO audit (at, what) VALUES (strftime('%s', 'now'), ?)",
      arguments: [note])
  }
}
