import CSQLite
import FirstlightModel

/// The place of a column in a row, from 0 on.
package protocol ColumnPlace {
  var place: Int32 { get }
}

extension Int: ColumnPlace {
  package var place: Int32 { Int32(self) }
}

extension Int32: ColumnPlace {
  package var place: Int32 { self }
}

/// Reads the rows of a query one by one, each column with its required type.
///
/// Calls SQLite's own functions: a profile has hundreds of thousands of rows.
package struct RowReading {
  // Keeps `row` alive.
  private let statement: SQLiteStatement
  private let row: OpaquePointer

  /// - Parameter build: the value of the query's `?`, if it has one.
  package init(sql: String, build: Int? = nil, in database: OpaquePointer) throws {
    statement = try SQLiteStatement(sql, in: database)
    row = statement.pointer
    if let build { sqlite3_bind_int64(row, 1, Int64(build)) }
  }

  /// Moves to the next row; false if there is none.
  package mutating func next() throws -> Bool {
    switch sqlite3_step(row) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw statement.error
    }
  }

  package func integer(_ column: some ColumnPlace) throws -> Int64 {
    let column = column.place
    guard sqlite3_column_type(row, column) == SQLITE_INTEGER else { throw WrongColumn(column) }
    return sqlite3_column_int64(row, column)
  }

  func isNull(_ column: some ColumnPlace) -> Bool {
    sqlite3_column_type(row, column.place) == SQLITE_NULL
  }

  func optionalInteger(_ column: some ColumnPlace) throws -> Int64? {
    isNull(column) ? nil : try integer(column)
  }

  /// The only way from a column to a count, so that none is beyond its range.
  package func number(
    _ column: some ColumnPlace, in range: ClosedRange<Int> = ProfileLimits.numbers
  ) throws -> Int {
    let number = Int(try integer(column))
    guard range.contains(number) else {
      throw WrongColumn(column.place, holds: "the number \(number)")
    }
    return number
  }

  package func isTrue(_ column: some ColumnPlace) throws -> Bool { try integer(column) != 0 }

  /// A time in seconds.
  package func seconds(
    _ column: some ColumnPlace, in range: ClosedRange<Double>
  ) throws -> Double {
    let column = column.place
    guard [SQLITE_FLOAT, SQLITE_INTEGER].contains(sqlite3_column_type(row, column)) else {
      throw WrongColumn(column)
    }
    let seconds = sqlite3_column_double(row, column)
    guard range.contains(seconds) else { throw WrongColumn(column, holds: "\(seconds) seconds") }
    return seconds
  }

  package func text(_ column: some ColumnPlace) throws -> String {
    try bytes(column.place) { String(decoding: $0, as: UTF8.self) }
  }

  func blob(_ column: some ColumnPlace) throws -> [UInt8] {
    let column = column.place
    guard sqlite3_column_type(row, column) == SQLITE_BLOB else { throw WrongColumn(column) }
    // SQLite returns null for an empty blob.
    guard let start = sqlite3_column_blob(row, column) else { return [] }
    return Array(
      UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(row, column))))
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
  fileprivate init(_ column: Int32, holds value: String? = nil) {
    self.init(column: Int(column), holds: value)
  }
}

/// A type that a column of a row can have.
package protocol SQLiteColumn {
  /// - Throws: `WrongColumn` if the column has another type.
  init(_ row: RowReading, _ column: Int32) throws
}

extension Int64: SQLiteColumn {
  package init(_ row: RowReading, _ column: Int32) throws { self = try row.integer(column) }
}

extension Int: SQLiteColumn {
  package init(_ row: RowReading, _ column: Int32) throws { self = try row.number(column) }
}

extension Int32: SQLiteColumn {
  package init(_ row: RowReading, _ column: Int32) throws {
    guard let value = Int32(exactly: try row.integer(column)) else { throw WrongColumn(column) }
    self = value
  }
}

extension Bool: SQLiteColumn {
  package init(_ row: RowReading, _ column: Int32) throws { self = try row.isTrue(column) }
}

extension String: SQLiteColumn {
  package init(_ row: RowReading, _ column: Int32) throws { self = try row.text(column) }
}

extension [UInt8]: SQLiteColumn {
  package init(_ row: RowReading, _ column: Int32) throws { self = try row.blob(column) }
}

extension RowReading {
  package func value<Value: SQLiteColumn>(_ column: some ColumnPlace) throws -> Value {
    try Value(self, column.place)
  }

  package func optionalValue<Value: SQLiteColumn>(_ column: some ColumnPlace) throws -> Value? {
    isNull(column) ? nil : try Value(self, column.place)
  }
}

/// A column with a value that it cannot have.
package struct WrongColumn: Error, CustomStringConvertible {
  private let column: Int
  private let value: String

  /// - Parameter value: the value in messages; nil if it has another type.
  package init(column: Int, holds value: String? = nil) {
    (self.column, self.value) = (column, value ?? "a value of another type")
  }

  package var description: String { "column \(column + 1) holds \(value)" }
}
