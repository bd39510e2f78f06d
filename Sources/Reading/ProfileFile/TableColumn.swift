import FirstlightModel

/// A column of a table, by its place. The cases of such a type are the one list of a table's columns: its statement, its
/// writer and its readers share it.
protocol TableColumn: ColumnPlace, CaseIterable, RawRepresentable where RawValue == Int32 {
  static var table: String { get }
  /// The columns that identify a row; none if rows need no identity.
  static var key: String? { get }
  /// The column's name and type, as SQL has them.
  var declaration: String { get }
}

extension TableColumn {
  var place: Int32 { rawValue }

  private var name: String { String(declaration.prefix(upToAny: " ")) }

  /// The names of all columns, in their order.
  static var names: String { allCases.map(\.name).joined(separator: ", ") }

  /// The statement that makes the table.
  static var creation: String {
    let parts = allCases.map(\.declaration) + (key.map { ["PRIMARY KEY (\($0))"] } ?? [])
    return "CREATE TABLE \(table) (\n  \(parts.joined(separator: ",\n  "))\n)"
      + (key == nil ? "" : " WITHOUT ROWID") + ";\n"
  }
}

extension RowInsertion {
  /// Inserts rows of all columns.
  init<Column: TableColumn>(
    into column: Column.Type, keepsKnown: Bool = false, in database: OpaquePointer
  ) throws {
    try self.init(
      into: Column.table, columns: Column.allCases.count, keepsKnown: keepsKnown, in: database)
  }
}

extension RowReading {
  /// Reads all columns.
  ///
  /// - Parameter rest: selects and sorts the rows, such as `WHERE build = ?`.
  init<Column: TableColumn>(
    _ column: Column.Type, _ rest: String = "", build: Int? = nil, in database: OpaquePointer
  ) throws {
    try self.init(
      sql: "SELECT \(Column.names) FROM \(Column.table) \(rest)", build: build, in: database)
  }
}

extension RowInsertion {
  /// Sets the six columns of losses, of which this is the first; `RowReading.losses` reads them.
  mutating func set(_ first: some TableColumn, _ losses: Losses) {
    let counts = [
      losses.drops, losses.uncommitted, losses.lostImages, losses.unreadableSegments,
      losses.unrecordedProcesses, losses.runningProcesses,
    ]
    for (place, count) in counts.enumerated() { set(first.place + Int32(place), count) }
  }
}
