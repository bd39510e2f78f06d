/// Gives the sections of an object file addresses, as a linker would: code one section after the other from
/// 0, in their order, so that of an object with one section of code an address is what nm prints; data
/// behind it. Debug sections stay at 0, so references to them are offsets.
struct ObjectLayout {
  private let elf: ELFFile
  /// By section.
  private let addresses: [UInt64]

  /// - Parameter elf: an object file in memory that is ours alone.
  init(_ elf: ELFFile) {
    self.elf = elf
    var addresses = [UInt64](repeating: 0, count: elf.sections.count)
    var end: UInt64 = 0
    let code = elf.sections.filter(\.hasCode)
    let data = elf.sections.filter { $0.isAllocated && !$0.hasCode }
    for section in code + data {
      // Beyond a huge page no honest section is aligned.
      let alignment = min(max(1, section.alignment), 1 << 21)
      end = (end &+ alignment &- 1) / alignment * alignment
      addresses[section.index] = end
      end &+= min(section.size, UInt64(UInt32.max))
    }
    self.addresses = addresses
  }

  /// Writes the addresses to the section headers, and adds them to the symbols.
  func place() {
    let editor = SectionHeaderEditor(elf.file)
    for section in elf.sections {
      if section.isAllocated {
        editor.setAddress(addresses[section.index], of: section.index)
      } else if section.isDebug, section.isInGroup {
        // Descriptions of types, several to a file, which have the names of the sections with code.
        editor.setType(0, of: section.index)
      }
      if section.type == ELFSection.symbolTable { placeSymbols(section) }
    }
  }

  private func placeSymbols(_ table: ELFSection) {
    let symbols = elf.contents(table)
    let indices = elf.sections.first {
      $0.type == ELFSection.sectionIndices && Int($0.link) == table.index
    }.map(elf.contents)
    for number in 0..<(symbols.count / 24) {
      let symbol = symbols.base + number &* 24
      var section = Int(symbol.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
      // SHN_XINDEX: past 65,279 sections the index is in a table of its own.
      if section == 0xffff {
        section = indices?.load(number &* 4, as: UInt32.self).map(Int.init) ?? 0
      } else if section >= 0xff00 {
        continue
      }
      guard section > 0, section < addresses.count else { continue }
      let value = symbol.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      UnsafeMutableRawPointer(mutating: symbol)
        .storeBytes(of: value &+ addresses[section], toByteOffset: 8, as: UInt64.self)
    }
  }
}
