import GRDB
import ProfileFile

extension Database {
  /// Like `execute(sql:)`, but parses the statement only once.
  package func execute(cachedSQL sql: String, arguments: StatementArguments) throws {
    try cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// SQLite's own handle, for the tables that profiles have, too.
  package var handle: OpaquePointer {
    get throws {
      guard let sqliteConnection else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
      return sqliteConnection
    }
  }
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
