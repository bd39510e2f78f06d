import FirstlightModel
import Inspection
import Testing

@Suite struct PrefetchRangesTests {
  /// A file of 100 pages: the first 50 mapped as they lie, the rest 10 pages higher.
  private static let sections = [
    section(".rodata", offset: 0x200, address: 0x200, size: 50 * 4096 - 0x200),
    section(".text", offset: 50 * 4096, address: 60 * 4096, size: 50 * 4096),
  ]

  private static func section(
    _ name: String, offset: UInt64, address: UInt64, size: UInt64
  ) -> BinarySection {
    BinarySection(
      name: name, address: address, offset: offset, size: size, isLoaded: true, isWritable: false,
      isExecutable: false, isInFile: true)
  }

  private func ranges(_ pages: [Int], capacity: Int = 509, base: UInt64 = 0) -> [Range<UInt32>] {
    var touched = [Bool](repeating: false, count: 100)
    for page in pages { touched[page] = true }
    let sections = Self.sections.map { section in
      var moved = section
      moved.address += base
      return moved
    }
    return PrefetchRanges(touched: touched, sections: sections, capacity: capacity).ranges
  }

  @Test func pagesAreCountedFromTheImageInMemory() {
    #expect(ranges([3, 70]) == [3..<4, 80..<81])
    #expect(ranges([3, 70], base: 0x200000) == [3..<4, 80..<81])
    #expect(ranges([]) == [])
  }

  @Test func narrowGapsAreReadAsWell() {
    #expect(ranges([1, 2, 7, 13]) == [1..<8, 13..<14])
  }

  @Test func theWidestGapsStayOpenWhereRangesAreFew() {
    #expect(ranges([0, 10, 40, 48], capacity: 2) == [0..<11, 40..<49])
    #expect(ranges([0, 10, 20, 30, 40], capacity: 3).count <= 3)
    #expect(ranges([0, 40], capacity: 1) == [0..<41])
  }

  @Test func aFileWithoutSectionsHasNone() {
    #expect(PrefetchRanges(touched: [true], sections: [], capacity: 5).ranges == [])
  }
}
