import FirstlightModel
import SymbolOrdering
import Testing

@Suite struct ConformancesObjectTests {
  private static func number<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    (0..<MemoryLayout<T>.size).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// An object file with two sections: one of code, and that of the table.
  private static let object: [UInt8] = {
    func section(offset: UInt64, size: UInt64) -> [UInt8] {
      [UInt8](repeating: 0, count: 24) + number(offset) + number(size)
        + [UInt8](repeating: 0, count: 24)
    }
    let header: [UInt8] =
      [0x7f, 0x45, 0x4c, 0x46] + [UInt8](repeating: 0, count: 36) + number(UInt64(104))
      + [UInt8](repeating: 0, count: 12) + number(UInt16(2)) + [0, 0]
    let contents =
      [UInt8](repeating: 0xc3, count: 8) + Array("firstlight.confs".utf8)
      + [UInt8](repeating: 0, count: 16)
    return header + contents + section(offset: 64, size: 8) + section(offset: 72, size: 32)
  }()

  private static func archive(_ object: [UInt8]) -> [UInt8] {
    func padded(_ text: String, _ count: Int) -> String {
      text + String(repeating: " ", count: count - text.utf8.count)
    }
    let header =
      padded("conformances.o/", 48) + padded("\(object.count)", 10) + "`\n"
    return Array("!<arch>\n".utf8) + Array(header.utf8) + object
  }

  private static let table = ConformanceTable(ConformancePairs([1, 2, 3, 4, 5]))

  @Test func theTableTakesThePlaceOfItsSection() throws {
    let bytes = try #require(
      ConformancesObject.bytes(archive: Self.archive(Self.object), table: Self.table))
    let header = 104 + 64
    #expect(Array(bytes.suffix(Self.table.bytes.count)) == Self.table.bytes)
    let place = bytes.count - Self.table.bytes.count
    #expect(place % 16 == 0)
    #expect(Array(bytes[(header + 24)..<(header + 32)]) == Self.number(UInt64(place)))
    #expect(
      Array(bytes[(header + 32)..<(header + 40)]) == Self.number(UInt64(Self.table.bytes.count)))
    // Nothing else changes.
    #expect(bytes[..<(header + 24)] == Self.object[..<(header + 24)])
    #expect(bytes[(header + 40)..<Self.object.count] == Self.object[(header + 40)...])
  }

  @Test func whatIsNotTheArchiveIsRefused() {
    #expect(ConformancesObject.bytes(archive: [], table: Self.table) == nil)
    #expect(ConformancesObject.bytes(archive: Self.object, table: Self.table) == nil)
    for size in stride(from: 0, to: Self.object.count - 64, by: 5) {
      let cut = Self.archive(Array(Self.object[..<size]))
      #expect(ConformancesObject.bytes(archive: cut, table: Self.table) == nil)
    }
    var elsewhere = Self.object
    elsewhere[0x28 + 5] = 1
    #expect(ConformancesObject.bytes(archive: Self.archive(elsewhere), table: Self.table) == nil)
  }
}
