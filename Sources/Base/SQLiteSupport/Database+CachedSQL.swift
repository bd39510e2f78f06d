import GRDB

extension Database {
  /// Like `execute(sql:)`, with a statement that is parsed once.
  package func execute(cachedSQL sql: String, arguments: StatementArguments) throws {
    try cachedStatement(sql: sql).execute(arguments: arguments)
  }
}
