import FirstlightModel
import Testing

@testable import Inspection
@testable import Ordering

@Suite struct SizeReportTests {
  /// A file of 1,000 bytes: 100 of headers, 400 of code, a gap of 20, 300 of data, 180 of names.
  private static let sections = [
    section(".text", at: 100, 400, code: true), section(".rodata", at: 520, 300),
    section(".symtab", at: 820, 180, isLoaded: false),
  ]

  private static func section(
    _ name: String, at offset: UInt64, _ size: UInt64, code: Bool = false, isLoaded: Bool = true
  ) -> BinarySection {
    BinaryReportTests.section(name, at: offset, size, code: code, isLoaded: isLoaded)
  }

  private static func item(
    _ name: String, _ address: UInt64, _ size: UInt64, file: String? = nil
  ) -> BinaryContents.Item {
    BinaryContents.Item(
      name: name, isCode: address < 500, address: address, size: size,
      section: address < 500 ? 0 : 1, file: file)
  }

  private static func report(
    _ items: [BinaryContents.Item], sections: [BinarySection] = sections,
    calls: [BinaryContents.Call] = [], called: [Bool?]? = nil
  ) -> SizeReport {
    SizeReport(
      BinaryContents(
        path: "/app", fileSize: 1000, sections: sections, items: items, calls: calls,
        hasLocalSymbols: true),
      names: items.map(\.name),
      owners: items.map {
        $0.file == "main.c"
          ? SymbolOwner(module: "app", owner: .own)
          : SymbolOwner(module: "library", owner: .dependency("library"))
      }, calls: called ?? items.map { _ in nil })
  }

  private static let items = [
    item("main", 100, 50, file: "main.c"), item("helper", 150, 30, file: "main.c"),
    item("parse", 200, 200), item("table", 520, 250),
  ]

  private func sums(_ report: SizeReport) -> (UInt64, UInt64) {
    (
      report.sections.reduce(0) { $0 + $1.bytes },
      report.modules.reduce(0) { $0 + $1.bytes } + report.others.reduce(0) { $0 + $1.bytes }
    )
  }

  @Test func eachByteCountsOnce() {
    let report = Self.report(Self.items)
    #expect(sums(report) == (1000, 1000))
    #expect(report.sections.map(\.name) == [".text", ".rodata", ".symtab", "headers and gaps"])
    #expect(report.modules.map(\.name) == ["library", "app"])
    #expect(report.modules.map(\.bytes) == [450, 80])
    #expect(
      report.others == [
        .init(name: "symbols and relocations", bytes: 180),
        .init(name: "code without a symbol", bytes: 120),
        .init(name: "headers and gaps", bytes: 120),
        .init(name: "data without a symbol", bytes: 50),
      ])
  }

  /// Sections of a damaged file may overlap, end beyond it, and have more symbols than bytes.
  @Test func sumsHoldForDamagedFiles() {
    let sections = [
      Self.section(".text", at: 100, 600, code: true), Self.section(".rodata", at: 400, 5000),
    ]
    let items = Self.items + [Self.item("huge", 130, .max / 2)]
    #expect(sums(Self.report(items, sections: sections)) == (1000, 1000))
  }

  @Test func callsOfOwnCodeAreTheReason() {
    let calls = [
      BinaryContents.Call(from: 0, to: 2), .init(from: 1, to: 2), .init(from: 0, to: 1),
      .init(from: 2, to: 0),
    ]
    let report = Self.report(Self.items, calls: calls)
    #expect(
      report.modules[0].callers == [.init(file: "main.c", calls: 2, callee: Self.items[2].name)])
    #expect(report.modules[1].callers.isEmpty)
  }

  @Test func sharesCountBytesThatWereWatched() {
    let report = Self.report(Self.items, called: [true, false, nil, nil])
    #expect(report.isWatched)
    #expect(report.modules[1].calledShare == 50.0 / 80)
    #expect(report.modules[0].calledShare == nil)
  }

  @Test func copiesOfAGenericFunctionAreCounted() {
    let report = Self.report([
      Self.item("generic specialization <Swift.Int> of A.f<A>(A) -> ()", 100, 10),
      Self.item(
        "generic specialization <Swift.Bool> of generic partial specialization <serialized> of "
          + "A.f<A>(A) -> ()", 110, 20), Self.item("A.f<A>(A) -> ()", 130, 40),
    ])
    #expect(report.specialized == [.init(name: "A.f<A>(A) -> ()", copies: 2, bytes: 30)])
  }

  @Test func growthAddsUp() {
    let before = Self.report(Self.items)
    let after = Self.report(Array(Self.items.dropLast()))
    let growth = SizeDifference(before: before, after: after)
    #expect(growth.symbols == [.init(name: "table", before: 250, after: 0)])
    #expect(growth.modules.reduce(0) { $0 + $1.growth } == growth.total.growth)
  }

  /// Names whose letters have an accent as one scalar and as two: two functions to the linker.
  @Test func canonicallyEqualNamesGrowEachForItself() {
    let before = Self.report([Self.item("caf\u{e9}", 100, 10), Self.item("cafe\u{301}", 110, 20)])
    let after = Self.report([Self.item("caf\u{e9}", 100, 15), Self.item("cafe\u{301}", 115, 15)])
    let growth = SizeDifference(before: before, after: after)
    #expect(growth.symbols.map(\.growth).sorted() == [-5, 5])
  }
}
