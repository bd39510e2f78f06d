import FirstlightModel

/// Reads the symbols that an image exports and those that the loader looks up for it: the dynamic symbols, and
/// the relocations that name them (System V ABI, chapters 4 and 5).
enum DynamicSymbolReader {
  static func symbols(
    _ elf: ELFFile
  ) -> (definitions: [SymbolDefinition], references: [SymbolReference]) {
    guard let table = elf.dynamicSymbols else { return ([], []) }
    let versions = SymbolVersions(elf)
    let uses = uses(elf, of: table)
    var definitions: [SymbolDefinition] = []
    var references: [SymbolReference] = []
    for (index, symbol) in table.enumerated().dropFirst() {
      guard symbol.binding != .local, let text = table.name(symbol)?.text else { continue }
      let version = versions.version(ofSymbol: index)
      // An undefined function with an address: the address is a stub's.
      if symbol.isDefined || (symbol.value != 0 && symbol.kind == .function) {
        definitions.append(
          SymbolDefinition(
            name: text, version: version.name, isHidden: version.isHidden,
            isStub: !symbol.isDefined))
      }
      // The loader never replaces a symbol without default visibility by another image's.
      if !symbol.isDefined || (!uses[index].isEmpty && symbol.hasDefaultVisibility) {
        references.append(
          SymbolReference(
            name: text, version: version.name, isWeak: symbol.binding == .weak,
            isUndefined: !symbol.isDefined, uses: uses[index]))
      }
    }
    return (definitions, references)
  }

  /// For each symbol: its uses by relocations.
  private static func uses(_ elf: ELFFile, of symbols: ELFSymbols) -> [SymbolReference.Uses] {
    var uses = [SymbolReference.Uses](repeating: [], count: symbols.count)
    for table in elf.loadedRelocations where table.symbols?.section.index == symbols.section.index {
      for relocation in table where relocation.symbol > 0 && relocation.symbol < uses.count {
        switch relocation.kind {
        case .none: break
        case .call: uses[relocation.symbol].insert(.call)
        case .copy: uses[relocation.symbol].insert(.copy)
        case .relative, .absolute, .slot, .distance, .other:
          uses[relocation.symbol].insert(.address)
        }
      }
    }
    return uses
  }
}
