import CElfutils
import FirstlightModel

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
