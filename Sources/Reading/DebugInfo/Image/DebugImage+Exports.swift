extension DebugImage {
  /// Linker names of the functions that other images can look up here (`.dynsym`), and other names of
  /// the same code. An executable has some if it was linked with `--export-dynamic`.
  package var exportedFunctions: Set<String> {
    guard let section = elf.dynamicSymbols else { return [] }
    let table = SymbolTable(
      [.init(symbols: section.symbolBytes, names: section.nameBytes, sections: elf.sections)],
      codeRange: elf.codeRange)
    var names: Set<String> = []
    for index in table.entries.indices where table.entries[index].binding != 0 {
      names.insert(table.name(index))
      for symbol in symbols(at: table.entries[index].address) { names.insert(symbol.name) }
    }
    return names
  }
}
