import Ordering
import Testing

@Suite struct PrefetchObjectTests {
  private static func member(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
    let size = "\(bytes.count)"
    let header =
      name.padded(16) + "0".padded(12) + "0".padded(6) + "0".padded(6) + "644".padded(8)
      + size.padded(10) + "`\n"
    return Array(header.utf8) + bytes + (bytes.count % 2 == 1 ? [10] : [])
  }

  private static let object: [UInt8] =
    [0x7f, 0x45, 0x4c, 0x46, 9, 9, 9] + Array("firstlight.pages".utf8)
    + [UInt8](repeating: 0, count: 4 + 8 * PrefetchObject.capacity) + [7]

  private static let archive =
    Array("!<arch>\n".utf8) + member("/", [1, 2, 3]) + member("prefetch.o/", object)

  @Test func theTableIsFilledIn() throws {
    let bytes = try #require(
      PrefetchObject.bytes(archive: Self.archive, ranges: [3..<5, 0x1_0000..<0x1_0001]))
    #expect(bytes.count == Self.object.count)
    #expect(bytes[..<23] == Self.object[..<23])
    #expect(
      Array(bytes[23..<43]) == [2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0])
    #expect(bytes[43...].dropLast().allSatisfy { $0 == 0 } && bytes.last == 7)
  }

  @Test func whatIsNotTheArchiveIsRefused() {
    #expect(PrefetchObject.bytes(archive: [], ranges: []) == nil)
    #expect(PrefetchObject.bytes(archive: Self.object, ranges: []) == nil)
    for cut in [8, 30, 80, 140, Self.archive.count - 8 * 100] {
      #expect(PrefetchObject.bytes(archive: Array(Self.archive[..<cut]), ranges: []) == nil)
    }
    let many = (0..<UInt32(PrefetchObject.capacity + 1)).map { 2 * $0..<2 * $0 + 1 }
    #expect(PrefetchObject.bytes(archive: Self.archive, ranges: many) == nil)
  }
}

extension String {
  fileprivate func padded(_ count: Int) -> String {
    self + String(repeating: " ", count: count - utf8.count)
  }
}
