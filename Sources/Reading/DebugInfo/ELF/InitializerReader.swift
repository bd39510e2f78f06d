import FirstlightModel

/// Lists the functions that the loader calls before `main`: `.preinit_array`, `_init`, then
/// `.init_array` (System V ABI, "Initialization and Termination Functions").
enum InitializerReader {
  static func initializers(_ image: DebugImage) -> [Initializer] {
    let elf = image.elf
    let lists = elf.sections.filter { $0.isAllocated && names[$0.type] != nil }
    let words = zip(lists, RelocatedWords.words(elf, lists))
    func functions(_ type: UInt32) -> [Initializer] {
      words.filter { $0.0.type == type }.flatMap(\.1)
        // 0 and -1 stand for no function, as in the original form of these arrays.
        .filter { $0 != 0 && $0 != .max }
        .map { Initializer(list: names[type] ?? "", address: $0, name: "") }
    }
    var found = functions(ELFSection.preinitArray)
    if let section = elf.section(".init"), section.isExecutable, section.size > 0 {
      found.append(Initializer(list: "_init", address: section.address, name: ""))
    }
    found += functions(ELFSection.initArray)
    for index in found.indices {
      let address = found[index].address
      found[index].name =
        image.symbols.at(address).first?.name ?? image.symbols.containing(address)?.name ?? ""
    }
    return found
  }

  private static let names: [UInt32: String] = [
    ELFSection.preinitArray: ".preinit_array", ELFSection.initArray: ".init_array",
  ]
}
