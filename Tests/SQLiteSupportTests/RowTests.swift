import GRDB
import SQLiteSupport
import Testing

@Suite struct RowTests {
  private let queue: DatabaseQueue

  init() throws {
    queue = try DatabaseQueue()
    try queue.write { try $0.execute(sql: "CREATE TABLE t (build INTEGER, a, b, c)") }
  }

  @Test func insertedRowsReadBack() throws {
    try queue.write { database in
      var rows = try RowInsertion(into: "t", columns: 4, in: database)
      for (number, text) in [(1, "one"), (2, "näher"), (3, "näher")] {
        rows.add(7)
        rows.add(number)
        rows.add(text)
        rows.add(Double(number) / 4)
        try rows.insert()
      }
    }
    let read = try queue.read { database in
      var rows = try RowReading(
        sql: "SELECT a, b, c FROM t WHERE build = ? ORDER BY a", build: 7, in: database)
      var found: [String] = []
      while try rows.next() {
        found.append("\(try rows.number(0)) \(try rows.repeatedText(1)) \(try rows.real(2))")
      }
      return found
    }
    #expect(read == ["1 one 0.25", "2 näher 0.5", "3 näher 0.75"])
  }

  @Test func aColumnOfAnotherTypeIsAnErrorAndNoEnd() throws {
    try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (7, 'text', 1, NULL)") }
    try queue.read { database in
      var rows = try RowReading(
        sql: "SELECT a, b, c FROM t WHERE build = ?", build: 7, in: database)
      #expect(try rows.next())
      #expect(throws: WrongColumn.self) { try rows.integer(0) }
      #expect(throws: WrongColumn.self) { try rows.text(1) }
      #expect(try rows.optionalText(2) == nil)
      let row = try #require(try Row.fetchOne(database, sql: "SELECT a FROM t"))
      #expect(throws: WrongColumn.self) { try row.value(0) as Int }
    }
  }

  @Test(arguments: [0, 1, 1 << 63, .max] as [UInt64])
  func hashesSortInColumnsAsTheyDo(hash: UInt64) {
    #expect(SortableHash.hash(SortableHash.column(hash)) == hash)
    #expect(SortableHash.column(hash) >= SortableHash.column(0))
  }
}
