import GRDB
import ProfileFile
import SQLiteSupport
import Testing

@Suite struct RowTests {
  private let database: ProfileDatabase

  init() throws {
    database = try ProfileDatabase()
    try database.execute("CREATE TABLE t (build INTEGER, a UNIQUE, b, c, d)")
  }

  @Test func insertedRowsReadBack() throws {
    var rows = try RowInsertion(into: "t", columns: 5, in: database.pointer)
    for (number, text) in [(1, "one"), (2, "näher"), (3, "näher")] {
      rows.add(7)
      rows.add(number)
      rows.add(text)
      rows.add(number == 2 ? nil : Double(number) / 4)
      rows.add(Array(repeating: UInt8(number), count: number - 1))
      try rows.insert()
    }
    var row = try RowReading(
      sql: "SELECT a, b, c, d FROM t WHERE build = ? ORDER BY a", build: 7, in: database.pointer)
    var found: [String] = []
    while try row.next() {
      let number = try row.number(0)
      let quarter = number == 2 ? 0 : try row.seconds(2, in: 0...1)
      found.append(
        "\(number) \(try row.text(1)) \(quarter) \(try row.value(3) as [UInt8])")
    }
    #expect(found == ["1 one 0.25 []", "2 näher 0.0 [2]", "3 näher 0.75 [3, 3]"])
  }

  @Test func aRowThatIsThereIsAnErrorUnlessItMayStay() throws {
    for (keepsKnown, isThere) in [(false, false), (true, true), (false, true)] {
      var rows = try RowInsertion(
        into: "t", columns: 5, keepsKnown: keepsKnown, in: database.pointer)
      for _ in 0..<4 { rows.add(1) }
      rows.add(nil as String?)
      guard isThere, !keepsKnown else {
        try rows.insert()
        continue
      }
      let error = #expect(throws: SQLiteError.self) { try rows.insert() }
      #expect(error?.code == 19 && error?.message == "UNIQUE constraint failed: t.a")
    }
  }

  @Test func aColumnOfAnotherTypeIsAnErrorAndNoEnd() throws {
    try database.execute("INSERT INTO t VALUES (7, 'text', 1, NULL, 4294967296)")
    var row = try RowReading(
      sql: "SELECT a, b, c, d FROM t WHERE build = ?", build: 7, in: database.pointer)
    #expect(try row.next())
    #expect(throws: WrongColumn.self) { try row.integer(0) }
    #expect(throws: WrongColumn.self) { try row.text(1) }
    #expect(throws: WrongColumn.self) { try row.value(0) as [UInt8] }
    #expect(throws: WrongColumn.self) { try row.value(3) as Int32 }
    #expect(try row.optionalValue(2) as String? == nil && row.optionalValue(2) as Bool? == nil)
  }

  @Test func anotherLibrarysRowsAreCheckedTheSame() throws {
    try DatabaseQueue().write { database in
      let row = try #require(try Row.fetchOne(database, sql: "SELECT 'text', NULL"))
      #expect(throws: WrongColumn.self) { try row.value(0) as Int }
      #expect(throws: WrongColumn.self) { try row.value(1) as Int }
      #expect(try row.optionalValue(1) as Int? == nil)
    }
  }

  @Test(arguments: [0, 1, 1 << 63, .max] as [UInt64])
  func hashesSortInColumnsAsTheyDo(hash: UInt64) {
    #expect(SortableHash.hash(SortableHash.column(hash)) == hash)
    #expect(SortableHash.column(hash) >= SortableHash.column(0))
  }

  @Test func aWrongStatementIsAnError() throws {
    #expect(throws: SQLiteError.self) { try database.execute("SELEC 1") }
    #expect(throws: SQLiteError.self) {
      try RowReading(sql: "SELECT nothing FROM t", in: database.pointer)
    }
  }

  @Test func anOpenedFileCannotBeChanged() throws {
    try database.execute("INSERT INTO t VALUES (7, 1, 2, 3, 4)")
    let copy = try ProfileDatabase(contents: try database.withContents { Array($0) })
    var row = try RowReading(sql: "SELECT a FROM t", in: copy.pointer)
    #expect(try row.next() && row.number(0) == 1)
    #expect(throws: SQLiteError.self) { try copy.execute("DELETE FROM t") }
    let damaged = try ProfileDatabase(contents: Array("no database".utf8))
    #expect(throws: SQLiteError.self) { try damaged.execute("SELECT count(*) FROM sqlite_schema") }
  }

  @Test(arguments: [
    "-1", "2147483648", "9223372036854775807", "9e999", "-9e999", "1.5",
  ])
  func aNumberBeyondItsRangeIsAnErrorAndNoEnd(number: String) throws {
    try database.execute("INSERT INTO t VALUES (7, \(number), \(number), 0, 0)")
    var row = try RowReading(sql: "SELECT a, b FROM t", in: database.pointer)
    #expect(try row.next())
    #expect(throws: WrongColumn.self) { try row.number(0) }
    #expect(throws: WrongColumn.self) { try row.seconds(1, in: 0...1) }
  }
}
