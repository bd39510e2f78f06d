import GRDB
import GRDBSQLite

/// Inserts or updates many rows with one statement.
///
/// Binds values directly with SQLite's own functions: GRDB's argument lists cost as much as the
/// insertion itself, and a profile has tens of thousands of rows.
package struct RowInsertion {
  private let statement: Statement
  private var column: Int32 = 0
  /// The row's texts, each followed by a NUL, and their columns. SQLite uses this memory without a
  /// copy, once all texts are present.
  private var bytes: [UInt8] = []
  private var texts: [(column: Int32, start: Int, count: Int)] = []

  /// - Parameter table: its name. The row has a value for each column, in the table's order.
  package init(into table: String, columns: Int, in database: Database) throws {
    let marks = Array(repeating: "?", count: columns).joined(separator: ", ")
    try self.init(sql: "INSERT OR IGNORE INTO \(table) VALUES (\(marks))", in: database)
  }

  /// - Parameter sql: a statement that returns no rows, with a `?` for each value.
  package init(sql: String, in database: Database) throws {
    statement = try database.cachedStatement(sql: sql)
  }

  package mutating func add(_ value: Int64?) {
    column += 1
    if let value {
      sqlite3_bind_int64(statement.sqliteStatement, column, value)
    } else {
      sqlite3_bind_null(statement.sqliteStatement, column)
    }
  }

  package mutating func add(_ value: Int) { add(Int64(value)) }

  package mutating func add(_ value: Bool) { add(value ? 1 : 0) }

  package mutating func add(_ value: Double) {
    column += 1
    sqlite3_bind_double(statement.sqliteStatement, column, value)
  }

  package mutating func add(_ value: String?) {
    guard let value else { return add(nil as Int64?) }
    column += 1
    let start = bytes.count
    bytes.append(contentsOf: value.utf8)
    texts.append((column, start, bytes.count - start))
    bytes.append(0)
  }

  /// Inserts the row whose values were added.
  package mutating func insert() throws {
    let row = statement.sqliteStatement
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
    guard code == SQLITE_DONE else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }
}

extension Database {
  /// Like `execute(sql:)`, but parses the statement only once.
  package func execute(cachedSQL sql: String, arguments: StatementArguments) throws {
    try cachedStatement(sql: sql).execute(arguments: arguments)
  }
}

/// The column value of a hash: hashes are unsigned and SQLite's integers signed; the shift keeps
/// their order.
package enum SortableHash {
  package static func column(_ hash: UInt64) -> Int64 { Int64(bitPattern: hash ^ (1 << 63)) }
  package static func hash(_ column: Int64) -> UInt64 { UInt64(bitPattern: column) ^ (1 << 63) }
}
