import FirstlightModel

/// The rows of functions that one process counted: bit r % 8 of byte r / 8 is set if record r's function ran.
enum CountedProcess {
  static func write(_ process: RecordedProcess, in database: OpaquePointer) throws {
    guard !process.counted.isEmpty else { return }
    typealias Column = CountedProcessColumn
    var rows = try RowInsertion(into: Column.self, keepsKnown: true, in: database)
    for (build, records) in process.counted {
      rows.set(Column.run, process.run)
      rows.set(Column.process, process.id)
      rows.set(Column.buildID, build.description)
      rows.set(Column.functions, records.count)
      rows.set(Column.called, bytes(of: records))
      try rows.insert()
    }
  }

  private static func bytes(of records: CountedRecords) -> [UInt8] {
    let words = records.words.flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
    return Array(words.prefix(size(of: records.count)))
  }

  private static func size(of count: Int) -> Int { (count + 7) / 8 }

  /// Nil if the bytes are not those of so many records.
  static func records(_ count: Int, _ bytes: [UInt8]) -> CountedRecords? {
    guard bytes.count == size(of: count) else { return nil }
    var records = CountedRecords(count: count)
    for (place, byte) in bytes.enumerated() {
      records.words[place / 8] |= UInt64(byte) << UInt64(place % 8 * 8)
    }
    let spare = records.words.count * 64 - count
    if let last = records.words.last, spare > 0, last >> UInt64(64 - spare) != 0 { return nil }
    return records
  }
}

extension ProfileReader {
  /// What the processes counted, by build.
  func readCounted() throws -> [RecordOwner: [BuildID: CountedRecords]] {
    var counted: [RecordOwner: [BuildID: CountedRecords]] = [:]
    typealias Column = CountedProcessColumn
    var row = try RowReading(Column.self, in: database)
    while try row.next() {
      let owner = try RecordOwner(run: row.value(Column.run), process: row.value(Column.process))
      let count = try row.number(Column.functions)
      guard let build = BuildID(try row.value(Column.buildID)),
        let records = CountedProcess.records(count, try row.value(Column.called))
      else { throw damaged("counters of process \(owner.process)") }
      counted[owner, default: [:]][build] = records
    }
    return counted
  }
}
