import FirstlightModel

/// Reads the dynamic section and the dynamic symbols (System V ABI, chapter 5).
enum DynamicReader {
  static func facts(_ elf: ELFFile) -> DynamicFacts {
    var facts = DynamicFacts()
    guard let segment = elf.segments.first(where: { $0.type == ELFSegment.dynamic }),
      let table = elf.file.bytes.slice(segment.offset, segment.fileSize)
    else { return facts }
    let entries = entries(table)
    let names = strings(elf, entries)
    func text(_ offset: UInt64) -> String? {
      Int(exactly: offset).flatMap { names.cString($0)?.text }
    }
    facts.needed = entries.filter { $0.tag == 1 }.compactMap { text($0.value) }
    // DT_RUNPATH makes the loader ignore DT_RPATH.
    let paths = [29, 15].compactMap { tag in entries.first { $0.tag == tag } }
    facts.runPath =
      paths.first.flatMap { text($0.value) }?.split(separator: ":").map(String.init) ?? []
    facts.hasGNUHash = entries.contains { $0.tag == 0x6fff_fef5 }
    facts.hasSystemVHash = entries.contains { $0.tag == 4 }
    facts.hasPackedRelocations = entries.contains { $0.tag == 36 }
    facts.bindsNow = entries.contains {
      $0.tag == 24 || ($0.tag == 30 && $0.value & 8 != 0)
        || ($0.tag == 0x6fff_fffb && $0.value & 1 != 0)
    }
    (facts.exported, facts.imported) = symbols(elf)
    return facts
  }

  private static func entries(_ table: Bytes) -> [(tag: UInt64, value: UInt64)] {
    var cursor = ByteCursor(table)
    var entries: [(tag: UInt64, value: UInt64)] = []
    while cursor.remaining >= 16 {
      let tag = cursor.u64()
      let value = cursor.u64()
      if tag == 0 { break }
      entries.append((tag, value))
    }
    return entries
  }

  /// The dynamic string table: `DT_STRTAB` is an address, `DT_STRSZ` its size.
  private static func strings(_ elf: ELFFile, _ entries: [(tag: UInt64, value: UInt64)]) -> Bytes {
    guard let address = entries.first(where: { $0.tag == 5 })?.value,
      let size = entries.first(where: { $0.tag == 10 })?.value,
      let offset = elf.fileOffset(of: address)
    else { return .empty }
    return elf.file.bytes.slice(offset, size) ?? .empty
  }

  private static func symbols(_ elf: ELFFile) -> (exported: [String], imported: [String]) {
    guard let section = elf.sections.first(where: { $0.type == ELFSection.dynamicSymbols }),
      Int(section.link) < elf.sections.count
    else { return ([], []) }
    let contents = elf.contents(section)
    let names = elf.contents(elf.sections[Int(section.link)])
    var exported: [String] = []
    var imported: [String] = []
    for index in 1..<max(1, contents.count / 24) {
      let symbol = contents.base + index &* 24
      guard let name = names.cString(Int(symbol.loadUnaligned(as: UInt32.self))), !name.isEmpty,
        symbol.load(fromByteOffset: 4, as: UInt8.self) >> 4 != 0
      else { continue }
      let isImported = symbol.loadUnaligned(fromByteOffset: 6, as: UInt16.self) == 0
      if isImported { imported.append(name.text) } else { exported.append(name.text) }
    }
    return (exported, imported)
  }
}
