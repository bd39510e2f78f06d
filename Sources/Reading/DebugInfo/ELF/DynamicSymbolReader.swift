import FirstlightModel

/// Reads what an image offers to others and what the loader looks up for it: the dynamic symbols,
/// and the relocations that name them (System V ABI, chapters 4 and 5).
enum DynamicSymbolReader {
  static func symbols(
    _ elf: ELFFile
  ) -> (definitions: [SymbolDefinition], references: [SymbolReference]) {
    guard let section = elf.sections.first(where: { $0.type == ELFSection.dynamicSymbols }),
      Int(section.link) < elf.sections.count
    else { return ([], []) }
    let contents = elf.contents(section)
    let names = elf.contents(elf.sections[Int(section.link)])
    let versions = SymbolVersions(elf)
    let uses = uses(elf, symbols: section.index, count: contents.count / 24)
    var definitions: [SymbolDefinition] = []
    var references: [SymbolReference] = []
    for index in 1..<max(1, contents.count / 24) {
      let symbol = contents.base + index &* 24
      let binding = symbol.load(fromByteOffset: 4, as: UInt8.self) >> 4
      guard let name = names.cString(Int(symbol.loadUnaligned(as: UInt32.self))), !name.isEmpty,
        binding != 0
      else { continue }
      let kind = symbol.load(fromByteOffset: 4, as: UInt8.self) & 15
      let visibility = symbol.load(fromByteOffset: 5, as: UInt8.self) & 3
      let isUndefined = symbol.loadUnaligned(fromByteOffset: 6, as: UInt16.self) == 0
      let value = symbol.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      let version = versions.version(ofSymbol: index)
      let text = name.text
      // STT_FUNC with an address though undefined: the address of a stub.
      if !isUndefined || (value != 0 && kind == 2) {
        definitions.append(
          SymbolDefinition(
            name: text, version: version.name, isHidden: version.isHidden, isStub: isUndefined))
      }
      // What is not of default visibility is the image's own, whatever others define.
      if isUndefined || (!uses[index].isEmpty && visibility == 0) {
        references.append(
          SymbolReference(
            name: text, version: version.name, isWeak: binding == 2, isUndefined: isUndefined,
            uses: uses[index]))
      }
    }
    return (definitions, references)
  }

  /// For each symbol what relocations do with it.
  private static func uses(
    _ elf: ELFFile, symbols: Int, count: Int
  ) -> [SymbolReference.Uses] {
    var uses = [SymbolReference.Uses](repeating: [], count: count)
    let isArm = elf.machine == ELFFile.aarch64
    let call: UInt32 = isArm ? 1026 : 7
    let copy: UInt32 = isArm ? 1024 : 5
    for section in elf.sections where section.isAllocated && Int(section.link) == symbols {
      let size: Int
      switch section.type {
      case ELFSection.rela: size = 24
      case ELFSection.rel: size = 16
      default: continue
      }
      let contents = elf.contents(section)
      for place in 0..<(contents.count / size) {
        let info = (contents.base + place &* size).loadUnaligned(
          fromByteOffset: 8, as: UInt64.self)
        let symbol = Int(info >> 32)
        guard symbol > 0, symbol < count else { continue }
        switch UInt32(truncatingIfNeeded: info) {
        case 0: break
        case call: uses[symbol].insert(.call)
        case copy: uses[symbol].insert(.copy)
        default: uses[symbol].insert(.address)
        }
      }
    }
    return uses
  }
}
