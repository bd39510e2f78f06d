import CElfutils

/// The symbols of one table of an ELF file (System V ABI, "Symbol Table"). Each is decoded when it is asked for, so
/// that the table takes no memory of its own.
struct ELFSymbols: RandomAccessCollection, Sendable {
  let file: ELFFile
  /// The section of the table.
  let section: ELFSection
  /// The section of the names.
  private let texts: ELFSection
  private let records: Records<Elf64_Sym>
  /// The names, up to the last one that ends.
  let names: Bytes

  /// Nil if the number is no section's, or the section has no section of names.
  init?(_ file: ELFFile, section number: Int) {
    guard number < file.sections.count, Int(file.sections[number].link) < file.sections.count
    else { return nil }
    self.file = file
    section = file.sections[number]
    texts = file.sections[Int(section.link)]
    records = file.contents(section).records(Elf64_Sym.self)
    names = file.contents(texts).terminated
  }

  var startIndex: Int { 0 }
  var endIndex: Int { records.endIndex }

  @inline(__always)
  subscript(index: Int) -> ELFSymbol { ELFSymbol(records[index]) }

  /// A symbol's name; nil if it has none.
  @inline(__always)
  func name(_ symbol: ELFSymbol) -> Bytes? {
    guard let name = names.cString(Int(symbol.nameOffset)), !name.isEmpty else { return nil }
    return name
  }

  /// Releases the memory of the sections; a later read maps them again.
  func release() {
    file.file.release(file.contents(section))
    file.file.release(file.contents(texts))
  }
}
