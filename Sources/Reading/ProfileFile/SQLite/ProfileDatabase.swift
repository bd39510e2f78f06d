import CSQLite

/// A SQLite database in memory that one thread uses.
///
/// SQLite never opens a profile's file: files beside it (`-wal`, `-journal`), which another user may have put there,
/// would become part of it, and it opens files by their names.
///
/// A profile is written once and read whole, which takes SQLite's own functions and little around them. A library
/// in between costs as much as the rows themselves. Stores, which many threads read while one writes, use GRDB.
package final class ProfileDatabase {
  package let pointer: OpaquePointer

  /// Creates an empty database.
  ///
  /// - Throws: `SQLiteError`.
  package init() throws {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(":memory:", &opened, flags, nil)
    guard let opened else { throw SQLiteError.outOfMemory }
    pointer = opened
    guard code == SQLITE_OK else { throw SQLiteError(of: opened, code) }
    try execute("PRAGMA temp_store = MEMORY")
  }

  /// Opens the contents of a database's file, which can only be read.
  ///
  /// - Throws: `SQLiteError`.
  package convenience init(contents: [UInt8]) throws {
    try self.init()
    guard let copy = sqlite3_malloc64(UInt64(contents.count)) else {
      throw SQLiteError.outOfMemory
    }
    copy.copyMemory(from: contents, byteCount: contents.count)
    let size = Int64(contents.count)
    // SQLite frees the copy, even if it fails.
    let code = sqlite3_deserialize(
      pointer, "main", copy.assumingMemoryBound(to: UInt8.self), size, size,
      UInt32(SQLITE_DESERIALIZE_READONLY | SQLITE_DESERIALIZE_FREEONCLOSE))
    guard code == SQLITE_OK else { throw SQLiteError(of: pointer, code) }
  }

  deinit { sqlite3_close_v2(pointer) }

  /// Runs statements that return no rows.
  package func execute(_ sql: String) throws {
    let code = sqlite3_exec(pointer, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(of: pointer, code) }
  }

  /// Calls `body` with the database's file as bytes.
  ///
  /// - Throws: `SQLiteError` if there is not enough memory.
  package func withContents<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value
  {
    var size: Int64 = 0
    // The caller must free this memory.
    guard let start = sqlite3_serialize(pointer, "main", &size, 0) else {
      throw SQLiteError.outOfMemory
    }
    defer { sqlite3_free(start) }
    return try body(UnsafeRawBufferPointer(start: start, count: Int(size)))
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

  static var outOfMemory: SQLiteError {
    SQLiteError(code: SQLITE_NOMEM, message: "out of memory")
  }

  init(of database: OpaquePointer, _ code: Int32) {
    self.init(code: code, message: String(cString: sqlite3_errmsg(database)))
  }

  package var description: String { message }
}
