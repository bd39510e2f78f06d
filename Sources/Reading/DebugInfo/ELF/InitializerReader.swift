import FirstlightModel

/// Lists the functions that the loader calls before `main`: `.preinit_array`, `_init`, then
/// `.init_array` (System V ABI, "Initialization and Termination Functions").
enum InitializerReader {
  static func initializers(_ image: DebugImage) -> [Initializer] {
    let elf = image.elf
    var found = functions(in: elf, type: ELFSection.preinitArray, list: ".preinit_array")
    if let section = elf.section(".init"), section.isExecutable, section.size > 0 {
      found.append(Initializer(list: "_init", address: section.address, name: ""))
    }
    found += functions(in: elf, type: ELFSection.initArray, list: ".init_array")
    for index in found.indices {
      let address = found[index].address
      found[index].name =
        image.symbols(at: address).first?.name ?? image.symbol(containing: address)?.name ?? ""
    }
    return found
  }

  private static func functions(in elf: ELFFile, type: UInt32, list: String) -> [Initializer] {
    elf.sections.filter { $0.type == type && $0.isAllocated }.flatMap { section in
      RelocatedWords.words(elf, section)
        // 0 and -1 stand for no function, as in the arrays' first form.
        .filter { $0 != 0 && $0 != .max }
        .map { Initializer(list: list, address: $0, name: "") }
    }
  }
}
