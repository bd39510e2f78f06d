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
