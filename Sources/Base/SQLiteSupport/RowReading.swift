import GRDB
import GRDBSQLite

/// Reads the rows of a query one by one, each column with its required type.
///
/// Calls SQLite's own functions: GRDB's rows cost several times SQLite's own work, and a profile
/// has hundreds of thousands of rows.
package struct RowReading {
  // Keeps `row` alive.
  private let statement: Statement
  private let row: OpaquePointer
  /// The last text of a column with many repeated values.
  private var repeated = ""

  /// - Parameter build: the value of the query's `?`.
  package init(sql: String, build: Int, in database: Database) throws {
    statement = try database.makeStatement(sql: sql)
    row = statement.sqliteStatement
    sqlite3_bind_int64(row, 1, Int64(build))
  }

  /// Moves to the next row; false if there is none.
  package mutating func next() throws -> Bool {
    switch sqlite3_step(row) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code),
        message: sqlite3_errmsg(sqlite3_db_handle(row)).map { String(cString: $0) })
    }
  }

  package func integer(_ column: Int32) throws -> Int64 {
    guard sqlite3_column_type(row, column) == SQLITE_INTEGER else { throw WrongColumn(column) }
    return sqlite3_column_int64(row, column)
  }

  package func optionalInteger(_ column: Int32) throws -> Int64? {
    if sqlite3_column_type(row, column) == SQLITE_NULL { return nil }
    return try integer(column)
  }

  package func number(_ column: Int32) throws -> Int { Int(try integer(column)) }

  package func isTrue(_ column: Int32) throws -> Bool { try integer(column) != 0 }

  package func real(_ column: Int32) throws -> Double {
    switch sqlite3_column_type(row, column) {
    case SQLITE_FLOAT, SQLITE_INTEGER: return sqlite3_column_double(row, column)
    default: throw WrongColumn(column)
    }
  }

  package func text(_ column: Int32) throws -> String {
    try bytes(column) { String(decoding: $0, as: UTF8.self) }
  }

  package func optionalText(_ column: Int32) throws -> String? {
    if sqlite3_column_type(row, column) == SQLITE_NULL { return nil }
    return try text(column)
  }

  /// A text that often equals the previous row's, which is then reused. Works for one column only.
  package mutating func repeatedText(_ column: Int32) throws -> String {
    let last = repeated
    repeated = try bytes(column) { bytes in
      last.utf8.elementsEqual(bytes) ? last : String(decoding: bytes, as: UTF8.self)
    }
    return repeated
  }

  private func bytes<Result>(
    _ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) throws -> Result {
    guard sqlite3_column_type(row, column) == SQLITE_TEXT,
      let start = sqlite3_column_text(row, column)
    else { throw WrongColumn(column) }
    // This memory belongs to SQLite, and is valid until the next step.
    return body(
      UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(row, column))))
  }
}

extension WrongColumn {
  fileprivate init(_ column: Int32) { self.init(column: Int(column)) }
}

extension Row {
  /// The value of a column; throws where GRDB's subscript would end the process.
  package func value<Value: DatabaseValueConvertible>(_ column: Int) throws -> Value {
    guard let value = Value.fromDatabaseValue(self[column]) else {
      throw WrongColumn(column: column)
    }
    return value
  }

  package func optionalValue<Value: DatabaseValueConvertible>(_ column: Int) throws -> Value? {
    let stored: DatabaseValue = self[column]
    if stored.isNull { return nil }
    guard let value = Value.fromDatabaseValue(stored) else { throw WrongColumn(column: column) }
    return value
  }
}

/// A column with a value of the wrong type.
package struct WrongColumn: Error, CustomStringConvertible {
  package let column: Int
  package var description: String { "column \(column + 1) holds a value of another type" }
}
