import GRDB

extension Row {
  /// A column's value, or an error where GRDB's subscript would end the process.
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
