import Foundation

/// Small files that would take far more memory or time than they have bytes, if they were believed. Each has
/// a function `bomb` at `ELFWriter.codeStart`, by its symbol.
enum Bomb: String, CaseIterable {
  case compressed, oldCompressed, abbreviations, attributes, longDirectory, emptyDirectories, rows
  case overlappingLineTables, tinyUnits, deepEntries, sharedRanges, sharedNames

  var file: Data {
    var writer = ELFWriter()
    writer.addSymbols(names: [0] + Array("bomb".utf8) + [0], offsets: [1])
    writer.sections += sections
    return writer.file()
  }

  /// What `DebugImage.notes` has to say of it.
  var note: String {
    switch self {
    case .deepEntries: "entries nested deeper than 4096"
    case .sharedRanges: "lists of addresses"
    case .sharedNames: "names"
    case .emptyDirectories: "damaged line tables"
    default: "too much memory"
    }
  }

  private typealias Section = ELFWriter.Section

  private var sections: [Section] {
    switch self {
    case .compressed:
      let header =
        ELFWriter.bytes(UInt64(1)) + ELFWriter.bytes(UInt64(1) << 30) + ELFWriter.bytes(UInt64(1))
      return [Section(name: ".debug_info", flags: 0x800, bytes: header + zeros(1 << 20))]
    case .oldCompressed:
      let header = Array("ZLIB".utf8) + ELFWriter.bytes((UInt64(1) << 30).byteSwapped)
      return [Section(name: ".zdebug_info", bytes: header + zeros(1 << 20))]
    case .abbreviations:
      // The first entry of each unit has the last of many.
      let table = repeated(40_000) { ELFWriter.uleb($0 + 1) + [0x34, 0, 3, 8, 0, 0] }
      let last = abbreviation(40_001, 0x11, [(0x11, 1), (0x10, 0x17)])
      let unit = unit(entry(40_001))
      return debug(units: repeated(4000) { _ in unit }, table + last + [0], lineTable())
    case .attributes:
      let entries = [UInt8](repeating: 2, count: 100_000) + [0]
      let attributes = repeated(50_000) { _ in [0x3f, 0x19] }
      let abbreviation: [UInt8] = [2, 0x34, 0] + attributes + [0, 0]
      return debug(
        units: unit(entry(1) + entries), unitAbbreviation(children: true) + abbreviation + [0],
        lineTable())
    case .longDirectory:
      let directory = [UInt8](repeating: 0x64, count: 60_000) + [0]
      let files = repeated(60_000) { _ in [0x61, 0, 1, 0, 0] }
      return debug(
        units: unit(entry(1)), unitAbbreviation() + [0],
        lineTable(directories: directory, files: files))
    case .emptyDirectories:
      // Entries of a form without size (DW_FORM_flag_present).
      let header: [UInt8] = [1, 2, 0x19] + ELFWriter.uleb(1 << 28)
      return debug(units: unit(entry(1)), unitAbbreviation() + [0], lineTable5(header))
    case .rows:
      return debug(
        units: unit(entry(1)), unitAbbreviation() + [0],
        lineTable(program: [UInt8](repeating: 0x12, count: 8_000_000)))
    case .overlappingLineTables:
      var lines = lineTable(program: [UInt8](repeating: 0x12, count: 500_000))
      var starts = [0]
      for _ in 0..<200 {
        let size = lineTable().count
        lines = lineTable(program: lines)
        starts = [0] + starts.map { $0 + size - 1 }
      }
      let units = repeated(starts.count) { unit(entry(1, lines: UInt32(starts[$0]))) }
      return debug(units: units, unitAbbreviation() + [0], lines)
    case .tinyUnits:
      let unit = unit([1])
      return debug(units: repeated(100_000) { _ in unit }, abbreviation(1, 0x11, []) + [0], [])
    case .deepEntries:
      let block = [2, 0x0b, 1, 0, 0] as [UInt8]
      return debug(
        units: unit(entry(1) + [UInt8](repeating: 2, count: 1_000_000)),
        unitAbbreviation(children: true) + block + [0], lineTable())
    case .sharedRanges:
      let function = abbreviation(2, 0x2e, [(0x55, 0x17)])
      let entries = repeated(20_000) { _ in [2, 0, 0, 0, 0] } + [0]
      var sections = debug(
        units: unit(entry(1) + entries), unitAbbreviation(children: true) + function + [0],
        lineTable())
      let ranges = repeated(20_000) {
        ELFWriter.bytes(UInt64($0)) + ELFWriter.bytes(UInt64($0 + 1))
      }
      sections.append(Section(name: ".debug_ranges", bytes: ranges + zeros(16)))
      return sections
    case .sharedNames:
      // Functions whose names are the ends of one text.
      let function = abbreviation(2, 0x2e, [(0x03, 0x0e), (0x11, 1), (0x12, 6)])
      let entries = repeated(16_000) { index in
        let start = ELFWriter.codeStart + 64 + UInt64(index * 16)
        let name = ELFWriter.bytes(UInt32(index))
        return [2] + name + ELFWriter.bytes(start) + ELFWriter.bytes(UInt32(16))
      }
      var sections = debug(
        units: unit(entry(1) + entries + [0]), unitAbbreviation(children: true) + function + [0],
        lineTable())
      sections.append(
        Section(name: ".debug_str", bytes: [UInt8](repeating: 0x6e, count: 400_000) + [0]))
      return sections
    }
  }

  private func debug(units: [UInt8], _ abbreviations: [UInt8], _ lines: [UInt8]) -> [Section] {
    [
      Section(name: ".debug_info", bytes: units),
      Section(name: ".debug_abbrev", bytes: abbreviations),
      Section(name: ".debug_line", bytes: lines),
    ]
  }

  private func repeated(_ count: Int, _ bytes: (Int) -> [UInt8]) -> [UInt8] {
    var all: [UInt8] = []
    for index in 0..<count { all += bytes(index) }
    return all
  }

  private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  private func abbreviation(
    _ code: Int, _ tag: UInt8, children: Bool = false, _ attributes: [(UInt8, UInt8)]
  ) -> [UInt8] {
    var bytes = ELFWriter.uleb(code) + [tag, children ? 1 : 0]
    for (attribute, form) in attributes { bytes += [attribute, form] }
    return bytes + [0, 0]
  }

  /// Of a unit that says where its code and its line table are; its number is 1.
  private func unitAbbreviation(children: Bool = false) -> [UInt8] {
    abbreviation(1, 0x11, children: children, [(0x11, 1), (0x12, 6), (0x10, 0x17)])
  }

  private func entry(_ code: Int, lines: UInt32 = 0) -> [UInt8] {
    var bytes = ELFWriter.uleb(code) + ELFWriter.bytes(ELFWriter.codeStart)
    if code == 1 { bytes += ELFWriter.bytes(UInt32(ELFWriter.codeSize)) }
    return bytes + ELFWriter.bytes(lines)
  }

  /// A unit of DWARF 4.
  private func unit(_ entries: [UInt8]) -> [UInt8] {
    let header: [UInt8] = [4, 0, 0, 0, 0, 0, 8]
    return ELFWriter.bytes(UInt32(entries.count + header.count)) + header + entries
  }

  private static let machine: [UInt8] = [1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]

  /// A line table of DWARF 4.
  private func lineTable(
    directories: [UInt8] = [], files: [UInt8] = [], program: [UInt8] = [1]
  ) -> [UInt8] {
    let header = Self.machine + directories + [0] + files + [0]
    let body: [UInt8] = [4, 0] + ELFWriter.bytes(UInt32(header.count)) + header + program
    return ELFWriter.bytes(UInt32(body.count)) + body
  }

  private func lineTable5(_ tables: [UInt8]) -> [UInt8] {
    let header = Self.machine + tables
    let body: [UInt8] = [5, 0, 8, 0] + ELFWriter.bytes(UInt32(header.count)) + header + [1]
    return ELFWriter.bytes(UInt32(body.count)) + body
  }
}
