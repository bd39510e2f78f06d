import CElfutils
import FirstlightModel

/// Reads the dynamic section (System V ABI, chapter 5).
enum DynamicReader {
  /// The names of the libraries that the loader loads for the file.
  static func needed(_ elf: ELFFile) -> [String] {
    let entries = entries(elf)
    let names = strings(elf, entries)
    return entries.filter { $0.tag == DT_NEEDED }.compactMap { text($0.value, names) }
  }

  private static func entries(_ elf: ELFFile) -> [DynamicEntry] {
    guard let segment = elf.segments.first(where: { $0.type == ELFSegment.dynamic }),
      let table = elf.file.bytes.slice(segment.offset, segment.fileSize)
    else { return [] }
    return DynamicEntry.read(table)
  }

  private static func text(_ offset: UInt64, _ names: Bytes) -> String? {
    Int(exactly: offset).flatMap { names.cString($0)?.text }
  }

  static func facts(_ elf: ELFFile) -> DynamicFacts {
    var facts = DynamicFacts()
    let entries = entries(elf)
    guard !entries.isEmpty else { return facts }
    let names = strings(elf, entries)
    func text(_ offset: UInt64) -> String? { Self.text(offset, names) }
    facts.needed = needed(elf)
    // DT_RUNPATH makes the loader ignore DT_RPATH.
    let paths = [Int(DT_RUNPATH), Int(DT_RPATH)].compactMap { tag in entries.first { $0.tag == tag }
    }
    facts.runPath =
      paths.first.flatMap { text($0.value) }?.split(at: ":").map(String.init) ?? []
    facts.isRunPathInherited = paths.first?.tag == Int(DT_RPATH)
    facts.soname = entries.first { $0.tag == DT_SONAME }.flatMap { text($0.value) }
    facts.hasGNUHash = entries.contains { $0.tag == DT_GNU_HASH }
    facts.hasSystemVHash = entries.contains { $0.tag == DT_HASH }
    // DT_RELR, which older headers lack.
    facts.hasPackedRelocations = entries.contains { $0.tag == 36 }
    facts.bindsNow = entries.contains {
      $0.tag == DT_BIND_NOW || $0.has(DF_BIND_NOW, in: DT_FLAGS) || $0.has(DF_1_NOW, in: DT_FLAGS_1)
    }
    facts.needsAuditors = entries.contains { $0.tag == DT_AUDIT || $0.tag == DT_DEPAUDIT }
    facts.isSymbolic = entries.contains {
      $0.tag == DT_SYMBOLIC || $0.has(DF_SYMBOLIC, in: DT_FLAGS)
    }
    (facts.definitions, facts.references) = DynamicSymbolReader.symbols(elf)
    return facts
  }

  /// The dynamic string table: `DT_STRTAB` is an address, `DT_STRSZ` its size.
  private static func strings(_ elf: ELFFile, _ entries: [DynamicEntry]) -> Bytes {
    guard let address = entries.first(where: { $0.tag == DT_STRTAB })?.value,
      let size = entries.first(where: { $0.tag == DT_STRSZ })?.value,
      let offset = elf.fileOffset(of: address)
    else { return .empty }
    return elf.file.bytes.slice(offset, size) ?? .empty
  }
}

/// Elf64_Dyn, whose value is a union in C.
struct DynamicEntry: BitwiseCopyable {
  let tag: Int
  let value: UInt64

  /// Whether this is the entry with a tag, and a flag is set in it.
  func has(_ flag: Int32, in tag: Int32) -> Bool { self.tag == tag && value & UInt64(flag) != 0 }

  /// The entries of a dynamic section up to the one that ends it.
  static func read(_ table: Bytes) -> [DynamicEntry] {
    table.records(DynamicEntry.self).prefix { $0.tag != 0 }.map { $0 }
  }
}

/// Reads the symbols that an image exports and those that the loader looks up for it: the dynamic symbols, and
/// the relocations that name them (System V ABI, chapters 4 and 5).
enum DynamicSymbolReader {
  static func symbols(
    _ elf: ELFFile
  ) -> (definitions: [SymbolDefinition], references: [SymbolReference]) {
    guard let table = elf.dynamicSymbols else { return ([], []) }
    let symbols = table.symbolBytes.records(Elf64_Sym.self)
    let names = table.nameBytes
    let versions = SymbolVersions(elf)
    let uses = uses(elf, symbols: table.symbols.index, count: symbols.count)
    var definitions: [SymbolDefinition] = []
    var references: [SymbolReference] = []
    for (index, symbol) in symbols.enumerated().dropFirst() {
      let binding = symbol.st_info >> 4
      guard let name = names.cString(Int(symbol.st_name)), !name.isEmpty, binding != 0 else {
        continue
      }
      let kind = symbol.st_info & 15
      let visibility = symbol.st_other & 3
      let isUndefined = symbol.st_shndx == 0
      let value = symbol.st_value
      let version = versions.version(ofSymbol: index)
      let text = name.text
      // An undefined STT_FUNC with an address: the address is a stub's.
      if !isUndefined || (value != 0 && kind == STT_FUNC) {
        definitions.append(
          SymbolDefinition(
            name: text, version: version.name, isHidden: version.isHidden, isStub: isUndefined))
      }
      // The loader never replaces a symbol without default visibility by another image's.
      if isUndefined || (!uses[index].isEmpty && visibility == 0) {
        references.append(
          SymbolReference(
            name: text, version: version.name, isWeak: binding == STB_WEAK,
            isUndefined: isUndefined,
            uses: uses[index]))
      }
    }
    return (definitions, references)
  }

  /// For each symbol: its uses by relocations.
  private static func uses(
    _ elf: ELFFile, symbols: Int, count: Int
  ) -> [SymbolReference.Uses] {
    var uses = [SymbolReference.Uses](repeating: [], count: count)
    let isArm = elf.machine == ELFFile.aarch64
    let call = UInt32(isArm ? R_AARCH64_JUMP_SLOT : R_X86_64_JUMP_SLOT)
    let copy = UInt32(isArm ? R_AARCH64_COPY : R_X86_64_COPY)
    for section in elf.loadedRelocations where Int(section.link) == symbols {
      for entry in elf.contents(section).records(Elf64_Rela.self)
      where entry.symbol > 0 && entry.symbol < count {
        switch entry.kind {
        case 0: break
        case call: uses[entry.symbol].insert(.call)
        case copy: uses[entry.symbol].insert(.copy)
        default: uses[entry.symbol].insert(.address)
        }
      }
    }
    return uses
  }
}
