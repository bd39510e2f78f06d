import CElfutils
import FirstlightModel

/// Reads the dynamic section (System V ABI, chapter 5).
enum DynamicReader {
  /// The names of the libraries that the loader loads for the file.
  static func needed(_ elf: ELFFile) -> [String] {
    let names = strings(elf)
    return elf.dynamicEntries.filter { $0.tag == DT_NEEDED }.compactMap { text($0.value, names) }
  }

  private static func text(_ offset: UInt64, _ names: Bytes) -> String? {
    Int(exactly: offset).flatMap { names.cString($0)?.text }
  }

  static func facts(_ elf: ELFFile) -> DynamicFacts {
    var facts = DynamicFacts()
    let entries = elf.dynamicEntries
    guard !entries.isEmpty else { return facts }
    let names = strings(elf)
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
  private static func strings(_ elf: ELFFile) -> Bytes {
    func value(_ tag: Int32) -> UInt64? { elf.dynamicEntries.first { $0.tag == tag }?.value }
    guard let offset = value(DT_STRTAB).flatMap(elf.fileOffset), let size = value(DT_STRSZ) else {
      return .empty
    }
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
