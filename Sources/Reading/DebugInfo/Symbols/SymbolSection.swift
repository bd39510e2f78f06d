/// A section of symbols and the one with their names.
struct SymbolSection: Sendable {
  let file: ELFFile
  let symbols: ELFSection
  let names: ELFSection

  var symbolBytes: Bytes { file.contents(symbols) }
  var nameBytes: Bytes { file.contents(names) }

  /// Gives back the memory of what was read.
  func release() {
    file.file.release(symbolBytes)
    file.file.release(nameBytes)
  }
}
