import CElfutils
import FirstlightModel

/// Finds calls of named functions in machine code. The functions may be in the image or in another one; calls
/// of the latter go through the procedure linkage table (PLT) or a slot that the loader fills.
struct CallScanner {
  private let image: DebugImage
  /// Addresses of functions with these names.
  private var targets: Set<UInt64> = []
  /// Addresses of the slots into which the loader writes the addresses of such functions.
  private var slots: Set<UInt64> = []
  private let tables: [ELFSection]
  /// Visited entries of linkage tables, and whether they lead to a slot.
  private var entries: [UInt64: Bool] = [:]

  init(_ image: DebugImage, names: Set<String>) {
    self.image = image
    tables = image.elf.sections.filter { $0.isExecutable && $0.name.hasPrefix(".plt") }
    let symbols = image.symbols
    for index in symbols.entries.indices where names.contains(symbols.name(index)) {
      targets.insert(symbols.entries[index].address)
    }
    addSlots(names)
  }

  /// Entries of the functions with such calls.
  mutating func callers() -> Set<UInt64> {
    var callers: Set<UInt64> = []
    guard !targets.isEmpty || !slots.isEmpty else { return callers }
    let symbols = image.symbols
    for section in image.elf.sections
    where section.isExecutable && section.hasContents && !section.name.hasPrefix(".plt") {
      CodeReferences(image.elf.contents(section), at: section.address, image.elf).visit {
        let isWanted =
          switch $0.kind {
          case .call: isWanted($0.target)
          case .slot: slots.contains($0.target)
          default: false
          }
        if isWanted, let function = symbols.index(containing: $0.place.lowerBound) {
          callers.insert(symbols.entries[function].address)
        }
        return isWanted
      }
    }
    return callers
  }

  /// Adds the slots of relocations that name such a function.
  private mutating func addSlots(_ names: Set<String>) {
    let elf = image.elf
    guard let table = elf.dynamicSymbols else { return }
    let texts = table.nameBytes
    let wanted = table.symbolBytes.records(Elf64_Sym.self).map { symbol in
      texts.cString(Int(symbol.st_name)).map { names.contains($0.text) } ?? false
    }
    guard wanted.contains(true) else { return }
    for section in elf.loadedRelocations where Int(section.link) == table.symbols.index {
      for entry in elf.contents(section).records(Elf64_Rela.self)
      where entry.symbol < wanted.count && wanted[entry.symbol] {
        slots.insert(entry.r_offset)
      }
    }
  }

  private mutating func isWanted(_ address: UInt64) -> Bool {
    if targets.contains(address) { return true }
    guard let table = tables.first(where: { $0.address <= address && address < $0.end }) else {
      return false
    }
    if let known = entries[address] { return known }
    let leads = slot(image.elf.contents(table), at: address, table).map(slots.contains) ?? false
    entries[address] = leads
    return leads
  }

  /// The slot that an entry of a linkage table jumps through: the first one that it loads.
  private func slot(_ code: Bytes, at address: UInt64, _ table: ELFSection) -> UInt64? {
    let offset = address - table.address
    guard let entry = code.slice(offset, min(16, UInt64(code.count) - offset)) else { return nil }
    var slot: UInt64?
    CodeReferences(entry, at: address, image.elf).visit {
      if $0.kind == .slot, slot == nil { slot = $0.target }
      return $0.kind == .slot
    }
    return slot
  }
}
