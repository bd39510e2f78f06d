import FirstlightModel
import Testing

@testable import ClickHouseStore

/// Rows as ClickHouse's documentation of the format RowBinary has them.
@Suite struct RowBinaryTests {
  private static func read<Value>(
    _ bytes: [UInt8], _ take: (inout RowReader) throws -> Value
  ) throws -> Value {
    try bytes.withUnsafeBytes { bytes in
      var reader = RowReader(bytes, from: "server")
      return try take(&reader)
    }
  }

  @Test func columnsAreWrittenAsDocumented() {
    var rows = RowWriter()
    rows.row()
    rows.add(0x0102_0304 as UInt32)
    rows.add(-2 as Int32)
    rows.add(1.0)
    rows.add(true)
    rows.add("é")
    rows.add([7, 8] as [UInt8])
    rows.add(array: [1, 256] as [UInt16])
    rows.add(array: ["a", ""])
    #expect(
      rows.bytes == [
        4, 3, 2, 1, 0xfe, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 1,
        2, 0xc3, 0xa9, 2, 7, 8, 2, 1, 0, 0, 1, 2, 1, 0x61, 0,
      ])
    #expect(rows.count == 1)
  }

  @Test func longTextsHaveTheirLengthInSeveralBytes() {
    var rows = RowWriter()
    rows.add(String(repeating: "x", count: 300))
    #expect(rows.bytes.prefix(3) == [0xac, 0x02, 0x78])
    #expect(rows.bytes.count == 302)
  }

  @Test func columnsAreReadBack() throws {
    var rows = RowWriter()
    rows.add(UInt64.max)
    rows.add("a\0b")
    rows.add(-0.5)
    rows.add(false)
    rows.add([9] as [UInt8])
    try Self.read(rows.bytes) { reader in
      let number = try reader.number(UInt64.self)
      let text = try reader.text()
      let double = try reader.double()
      let bool = try reader.bool()
      let data = try reader.data()
      // A sum beyond what an Int holds is not a reason to read nothing.
      #expect(number == .max)
      #expect(text == "a\0b")
      #expect(double == -0.5)
      #expect(bool == false)
      #expect(data == [9])
      #expect(reader.isAtEnd)
    }
  }

  @Test func anAnswerCutShortIsAFailure() throws {
    var rows = RowWriter()
    rows.add("text")
    rows.add([1, 2, 3] as [UInt8])
    rows.add(5 as UInt32)
    for count in 0..<rows.bytes.count {
      let failure = #expect(throws: Failure.self, "\(count) bytes") {
        try Self.read(Array(rows.bytes.prefix(count))) { reader in
          _ = try reader.text()
          _ = try reader.data()
          _ = try reader.integer(UInt32.self)
        }
      }
      #expect(failure?.kind == .unavailable)
      #expect(failure?.problem == "server: truncated answer")
    }
  }

  /// What a length claims takes no memory before it is there.
  @Test(
    arguments: [
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
      [0x80, 0x80, 0x80, 0x80, 0x10, 1, 2, 3], [8, 0, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func aLengthBeyondTheAnswerIsAFailure(bytes: [UInt8]) {
    #expect(throws: Failure.self) { try Self.read(bytes) { try $0.data() } }
  }
}
