import Ordering
import Testing

@Suite struct ConformancesObjectTests {
  private static func archive(_ object: [UInt8]) -> [UInt8] {
    func padded(_ text: String, _ count: Int) -> String {
      text + String(repeating: " ", count: count - text.utf8.count)
    }
    let header =
      padded("conformances.o/", 48) + padded("\(object.count)", 10) + "`\n"
    return Array("!<arch>\n".utf8) + Array(header.utf8) + object
  }

  @Test func theObjectIsThatOfTheArchive() {
    let object: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 1, 2, 3]
    #expect(ConformancesObject.bytes(archive: Self.archive(object)) == object)
    #expect(ConformancesObject.bytes(archive: []) == nil)
    #expect(ConformancesObject.bytes(archive: object) == nil)
    #expect(ConformancesObject.bytes(archive: Self.archive([0, 1])) == nil)
    #expect(ConformancesObject.bytes(archive: Self.archive(object).dropLast()) == nil)
  }
}
