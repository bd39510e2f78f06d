import FirstlightModel

/// Reads the dynamic section (System V ABI, chapter 5).
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
    facts.isRunPathInherited = paths.first?.tag == 15
    facts.soname = entries.first { $0.tag == 14 }.flatMap { text($0.value) }
    facts.hasGNUHash = entries.contains { $0.tag == 0x6fff_fef5 }
    facts.hasSystemVHash = entries.contains { $0.tag == 4 }
    facts.hasPackedRelocations = entries.contains { $0.tag == 36 }
    facts.bindsNow = entries.contains {
      $0.tag == 24 || ($0.tag == 30 && $0.value & 8 != 0)
        || ($0.tag == 0x6fff_fffb && $0.value & 1 != 0)
    }
    facts.skipsUsualFolders = entries.contains { $0.tag == 0x6fff_fffb && $0.value & 0x800 != 0 }
    facts.isSymbolic = entries.contains { $0.tag == 16 || ($0.tag == 30 && $0.value & 2 != 0) }
    (facts.definitions, facts.references) = DynamicSymbolReader.symbols(elf)
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
}
