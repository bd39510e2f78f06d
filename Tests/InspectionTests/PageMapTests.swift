import FirstlightModel
import Testing

@testable import Inspection

@Suite struct PageMapTests {
  /// .rela.dyn from the middle of the first page to the middle of the second, then .text.
  private static let facts = BinaryReportTests.facts([
    BinaryReportTests.section(".rela.dyn", at: 0x800, 0xa00),
    BinaryReportTests.section(".text", at: 0x1200, 0x2000, code: true),
    BinaryReportTests.section(".debug_info", at: 0x4000, 0x1800, isLoaded: false),
  ])

  @Test func aPageBelongsToTheSectionWithMostOfItsBytes() {
    let map = PageMap(
      Self.facts, touched: [true, true, false, true, true, false], isExact: true)
    #expect(map.pages.map(map.kind) == [.relocations, .code, .code, .code])
    #expect(map.pages.map(\.isTouched) == [true, true, false, true])
    #expect(map.rest == (pages: 2, touched: 1))
    #expect(map.touched == 4)
    #expect(map.countsBySection[".text"] == .init(pages: 3, touched: 2))
  }

  @Test func aShorterFileThanItsSectionsSayIsMapped() {
    let map = PageMap(Self.facts, touched: [true], isExact: false)
    #expect(map.pages.count == 1)
    #expect(PageMap(Self.facts, touched: [], isExact: false).touched == 0)
  }

  @Test func kindsFollowNamesAndFlags() {
    for (name, kind) in [
      (".relr.dyn", PageMap.Kind.relocations), (".dynstr", .symbols), (".gnu.hash", .symbols),
      (".eh_frame_hdr", .unwind), ("swift5_typeref", .swift), (".rodata", .readOnly),
      (".note.gnu.build-id", .other),
    ] {
      #expect(PageMap.Kind(BinaryReportTests.section(name, at: 0, 1)) == kind)
    }
  }
}
