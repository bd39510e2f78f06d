import CSQLite

/// An open SQLite database that one thread uses.
///
/// A profile is written once and read whole, which takes SQLite's own functions and little around them. A library
/// in between costs as much as the rows themselves. Stores, which many threads read while one writes, use GRDB.
package final class ProfileDatabase {
  package let pointer: OpaquePointer

  /// - Parameter path: `:memory:` is a database in memory.
  /// - Throws: `SQLiteError`.
  package init(path: String, isReadOnly: Bool = false) throws {
    var opened: OpaquePointer?
    let flags = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened else { throw SQLiteError(code: SQLITE_NOMEM, message: "out of memory") }
    pointer = opened
    guard code == SQLITE_OK else { throw SQLiteError(of: opened, code) }
  }

  deinit { sqlite3_close_v2(pointer) }

  /// Runs statements that return no rows.
  package func execute(_ sql: String) throws {
    let code = sqlite3_exec(pointer, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(of: pointer, code) }
  }

  /// The database's file as bytes; nil if there is not enough memory.
  package func bytes() -> [UInt8]? {
    var size: Int64 = 0
    // The caller must free this memory.
    guard let start = sqlite3_serialize(pointer, "main", &size, 0) else { return nil }
    defer { sqlite3_free(start) }
    return Array(UnsafeBufferPointer(start: start, count: Int(size)))
  }
}

/// A statement of an open database, finished when nothing refers to it.
final class SQLiteStatement {
  let pointer: OpaquePointer

  init(_ sql: String, in database: OpaquePointer) throws {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v2(database, sql, -1, &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw SQLiteError(of: database, code) }
    pointer = prepared
  }

  deinit { sqlite3_finalize(pointer) }

  var error: SQLiteError {
    let database = sqlite3_db_handle(pointer)
    return database.map { SQLiteError(of: $0, sqlite3_errcode($0)) }
      ?? SQLiteError(code: SQLITE_ERROR, message: "no database")
  }
}

/// An error that SQLite reports.
package struct SQLiteError: Error, CustomStringConvertible {
  /// The primary result code (https://www.sqlite.org/rescode.html).
  package let code: Int32
  package let message: String

  init(code: Int32, message: String) {
    (self.code, self.message) = (code & 0xff, message)
  }

  init(of database: OpaquePointer, _ code: Int32) {
    self.init(code: code, message: String(cString: sqlite3_errmsg(database)))
  }

  package var description: String { message }
}
