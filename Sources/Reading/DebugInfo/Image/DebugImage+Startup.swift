import FirstlightModel

/// Where the start-up of a program can be watched.
extension DebugImage {
  /// Link-time address of its first instruction (`e_entry`); 0 for most libraries.
  package var entryPoint: UInt64 { elf.file.bytes.load(24, as: UInt64.self) ?? 0 }

  /// What runs before `main`, in order.
  package var initializers: [Initializer] { InitializerReader.initializers(self) }

  /// Relocations that the loader, or the program itself, applies at start.
  package var relocations: RelocationFacts { RelocationReader.facts(elf) }

  /// Whether a loader maps it and its libraries.
  package var hasInterpreter: Bool { elf.segments.contains { $0.type == ELFSegment.interpreter } }

  /// Link-time addresses of code, lowest and one past the highest.
  package var codeRange: Range<UInt64> { elf.codeRange }

  /// Link-time addresses of all that is loaded, lowest and one past the highest.
  package var loadedRange: Range<UInt64> {
    let loads = elf.segments.filter { $0.type == ELFSegment.load }
    let low = loads.map(\.address).min() ?? 0
    let high = loads.map { $0.address &+ $0.memorySize }.max() ?? 0
    return low < high ? low..<high : 0..<0
  }

  /// The functions of these names, each address once.
  package func functions(named wanted: Set<String>) -> [Symbol] {
    let symbols = symbols
    let most = wanted.map(\.utf8.count).max() ?? 0
    var seen: Set<UInt64> = []
    return symbols.entries.indices.compactMap { index -> Symbol? in
      guard symbols.entries[index].nameCount <= most else { return nil }
      guard symbols.entries[index].type == SymbolTable.Entry.function else { return nil }
      let symbol = symbols.symbol(index)
      guard wanted.contains(symbol.name), seen.insert(symbol.address).inserted else { return nil }
      return symbol
    }
  }

  /// Link-time address of a dynamic symbol, function or object.
  package func dynamicSymbol(named wanted: String) -> UInt64? {
    guard let section = elf.dynamicSymbols else { return nil }
    let contents = section.symbolBytes
    let names = section.nameBytes
    for index in 1..<max(1, contents.count / 24) {
      let symbol = contents.base + index &* 24
      guard symbol.loadUnaligned(fromByteOffset: 6, as: UInt16.self) != 0,
        names.cString(Int(symbol.loadUnaligned(as: UInt32.self)))?.text == wanted
      else { continue }
      return symbol.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }
    return nil
  }
}
