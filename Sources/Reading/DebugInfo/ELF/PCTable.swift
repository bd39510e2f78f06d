import FirstlightModel

/// Reads the PC table (`__sancov_pcs`) from the file.
enum PCTable {
  /// One entry for each guard, in guard order; empty if the table is missing or does not match the guards.
  static func entries(_ elf: ELFFile, guardCount: Int) -> [GuardEntry] {
    guard let section = elf.section("__sancov_pcs"), section.size == UInt64(guardCount) * 16
    else { return [] }
    let words = RelocatedWords.words(elf, [section])[0]
    guard words.count == guardCount * 2 else { return [] }
    return (0..<guardCount).map { GuardEntry(address: words[$0 * 2], flags: words[$0 * 2 + 1]) }
  }

  /// The number of entries in the section's header.
  static func count(_ elf: ELFFile) -> UInt64 { (elf.section("__sancov_pcs")?.size ?? 0) / 16 }
}

/// One entry of the PC table from `-fsanitize-coverage=pc-table` (`__sancov_pcs`).
///
/// Layout: LLVM's SanitizerCoverage documentation, "PC-Table".
package struct GuardEntry: Hashable, Sendable {
  /// Link-time address of the instrumented block; 0 if the linker dropped it.
  package var address: UInt64
  /// Bit 0: the block is its function's entry.
  package var flags: UInt64

  /// Whether the block is its function's entry.
  var isFunctionEntry: Bool { flags & 1 != 0 }
}

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
