import CSQLite

/// Inserts or updates many rows with one statement.
///
/// Values go straight to SQLite's own functions: a profile has tens of thousands of rows.
package struct RowInsertion {
  private let statement: SQLiteStatement
  private var column: Int32 = 0
  /// The row's texts, each followed by a NUL, and their columns. SQLite uses this memory without a
  /// copy, once all texts are present.
  private var bytes: [UInt8] = []
  private var texts: [(column: Int32, start: Int, count: Int)] = []

  /// - Parameters:
  ///   - table: its name. The row has a value for each column, in the table's order.
  ///   - keepsKnown: whether a row that is there already stays; otherwise it is an error.
  package init(
    into table: String, columns: Int, keepsKnown: Bool = false, in database: OpaquePointer
  ) throws {
    let marks = Array(repeating: "?", count: columns).joined(separator: ", ")
    let insert = keepsKnown ? "INSERT OR IGNORE" : "INSERT"
    try self.init(sql: "\(insert) INTO \(table) VALUES (\(marks))", in: database)
  }

  /// - Parameter sql: a statement that returns no rows, with a `?` for each value.
  package init(sql: String, in database: OpaquePointer) throws {
    statement = try SQLiteStatement(sql, in: database)
  }

  package mutating func add(_ value: Int64?) {
    column += 1
    if let value {
      sqlite3_bind_int64(statement.pointer, column, value)
    } else {
      sqlite3_bind_null(statement.pointer, column)
    }
  }

  package mutating func add(_ value: Int) { add(Int64(value)) }

  package mutating func add(_ value: Int32?) { add(value.map(Int64.init)) }

  package mutating func add(_ value: Bool) { add(value ? 1 : 0) }

  package mutating func add(_ value: Double?) {
    guard let value else { return add(nil as Int64?) }
    column += 1
    sqlite3_bind_double(statement.pointer, column, value)
  }

  /// Adds bytes, which SQLite copies.
  package mutating func add(_ value: [UInt8]?) {
    guard let value else { return add(nil as Int64?) }
    column += 1
    // -1 is SQLITE_TRANSIENT, a macro that Swift cannot import.
    let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    // Without an address, SQLite would bind NULL.
    if value.isEmpty {
      sqlite3_bind_zeroblob(statement.pointer, column, 0)
    } else {
      sqlite3_bind_blob(statement.pointer, column, value, Int32(value.count), copies)
    }
  }

  package mutating func add(_ value: String?) {
    guard let value else { return add(nil as Int64?) }
    column += 1
    let start = bytes.count
    bytes.append(contentsOf: value.utf8)
    texts.append((column, start, bytes.count - start))
    bytes.append(0)
  }

  /// Inserts the row whose values were added or set.
  package mutating func insert() throws {
    let row = statement.pointer
    let code = bytes.withUnsafeBytes { bytes in
      for text in texts {
        let start = bytes.baseAddress! + text.start
        sqlite3_bind_text(
          row, text.column, start.assumingMemoryBound(to: CChar.self), Int32(text.count), nil)
      }
      let code = sqlite3_step(row)
      sqlite3_reset(row)
      return code
    }
    // Unbinds the texts before their memory is reused.
    for text in texts { sqlite3_bind_null(row, text.column) }
    column = 0
    bytes.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    guard code == SQLITE_DONE else { throw statement.error }
  }
}

extension RowInsertion {
  /// Sets the value of one column. Each column of a row needs one, since values of the row before stay.
  package mutating func set(_ column: some ColumnPlace, _ value: Int64?) {
    self.column = column.place
    add(value)
  }

  package mutating func set(_ column: some ColumnPlace, _ value: Int) { set(column, Int64(value)) }

  package mutating func set(_ column: some ColumnPlace, _ value: Int32?) {
    set(column, value.map(Int64.init))
  }

  package mutating func set(_ column: some ColumnPlace, _ value: Bool) {
    set(column, value ? 1 : 0 as Int64)
  }

  package mutating func set(_ column: some ColumnPlace, _ value: Double?) {
    self.column = column.place
    add(value)
  }

  package mutating func set(_ column: some ColumnPlace, _ value: [UInt8]?) {
    self.column = column.place
    add(value)
  }

  package mutating func set(_ column: some ColumnPlace, _ value: String?) {
    self.column = column.place
    add(value)
  }
}

/// The column value of a hash: hashes are unsigned and SQLite's integers signed; the shift keeps
/// their order.
package enum SortableHash {
  package static func column(_ hash: UInt64) -> Int64 { Int64(bitPattern: hash ^ (1 << 63)) }
  package static func hash(_ column: Int64) -> UInt64 { UInt64(bitPattern: column) ^ (1 << 63) }
}
