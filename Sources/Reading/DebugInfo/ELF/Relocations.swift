import CElfutils

/// One table of relocations with addends (System V ABI, "Relocation"); no linker for these machines writes any without.
/// Each is decoded when it is asked for.
struct Relocations: RandomAccessCollection, Sendable {
  let section: ELFSection
  /// The symbols that the relocations name; nil if the table refers to none.
  let symbols: ELFSymbols?
  private let records: Records<Elf64_Rela>
  private let machine: UInt16

  init(_ file: ELFFile, _ section: ELFSection) {
    self.section = section
    symbols = ELFSymbols(file, section: Int(section.link))
    records = file.contents(section).records(Elf64_Rela.self)
    machine = file.machine
  }

  var startIndex: Int { 0 }
  var endIndex: Int { records.endIndex }

  @inline(__always)
  subscript(index: Int) -> Relocation { Relocation(records[index], machine: machine) }

  /// The word that the loader writes at load bias 0, if that needs no other image.
  @inline(__always)
  func word(_ relocation: Relocation) -> UInt64? {
    switch relocation.kind {
    case .relative: return relocation.addend
    case .absolute, .slot:
      guard let symbols, relocation.symbol < symbols.count else { return nil }
      return symbols[relocation.symbol].value &+ relocation.addend
    case .none, .call, .copy, .distance, .other: return nil
    }
  }
}

/// Reads sections of 64-bit words as the loader would leave it at load bias 0.
///
/// If the executable is position dependent, the addresses are plain. Otherwise relocations produce them: RELA
/// relocations contain the address; packed ones (RELR) add the load bias to the word in place, so the file already
/// has the link-time address.
enum RelocatedWords {
  /// All whole words of each section, in order; none if a section has no contents.
  static func words(_ elf: ELFFile, _ sections: [ELFSection]) -> [[UInt64]] {
    var words = sections.map { Array(elf.contents($0).records(UInt64.self)) }
    for table in elf.loadedRelocations {
      for relocation in table {
        for (number, section) in sections.enumerated() {
          let place = relocation.place &- section.address
          guard place & 7 == 0, place >> 3 < UInt64(words[number].count) else { continue }
          if let word = table.word(relocation) { words[number][Int(place >> 3)] = word }
        }
      }
    }
    return words
  }
}
