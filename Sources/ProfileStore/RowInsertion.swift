import GRDB
import GRDBSQLite

/// Inserts, or changes, many rows by one statement.
///
/// Binds values straight through SQLite's own functions: GRDB's argument lists cost as much as the
/// insertion itself, and a profile has tens of thousands of rows.
struct RowInsertion {
  private let statement: Statement
  private var column: Int32 = 0

  /// - Parameter table: its name; the row has a value for each of its columns, in their order.
  init(into table: String, columns: Int, in database: Database) throws {
    let marks = Array(repeating: "?", count: columns).joined(separator: ", ")
    try self.init(sql: "INSERT OR IGNORE INTO \(table) VALUES (\(marks))", in: database)
  }

  /// - Parameter sql: a statement that gives no rows, with a mark for each value.
  init(sql: String, in database: Database) throws {
    statement = try database.cachedStatement(sql: sql)
  }

  mutating func add(_ value: Int64?) {
    column += 1
    if let value {
      sqlite3_bind_int64(statement.sqliteStatement, column, value)
    } else {
      sqlite3_bind_null(statement.sqliteStatement, column)
    }
  }

  mutating func add(_ value: Int) { add(Int64(value)) }

  mutating func add(_ value: Bool) { add(value ? 1 : 0) }

  mutating func add(_ value: Double) {
    column += 1
    sqlite3_bind_double(statement.sqliteStatement, column, value)
  }

  mutating func add(_ value: String?) {
    guard var value else { return add(nil as Int64?) }
    column += 1
    // SQLite takes a copy (SQLITE_TRANSIENT): the bytes are only there within this call.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    value.withUTF8 { bytes in
      // An empty string has no address; a null address would bind NULL.
      let start = bytes.isEmpty ? nil : UnsafeRawPointer(bytes.baseAddress)
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1) { nothing in
        let text = start?.assumingMemoryBound(to: CChar.self) ?? UnsafePointer(nothing.baseAddress!)
        _ = sqlite3_bind_text(
          statement.sqliteStatement, column, text, Int32(bytes.count), transient)
      }
    }
  }

  /// Inserts the row whose values were added.
  mutating func insert() throws {
    column = 0
    let code = sqlite3_step(statement.sqliteStatement)
    sqlite3_reset(statement.sqliteStatement)
    guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }
}
