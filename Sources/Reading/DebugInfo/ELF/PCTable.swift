/// Reads the PC table (`__sancov_pcs`) out of the file.
enum PCTable {
  /// One entry a guard, in guard order; empty if the file has none or it doesn't match the guards.
  static func entries(_ elf: ELFFile, guardCount: Int) -> [GuardEntry] {
    guard let section = elf.section("__sancov_pcs"), section.size == UInt64(guardCount) * 16
    else { return [] }
    let words = RelocatedWords.words(elf, section)
    guard words.count == guardCount * 2 else { return [] }
    return (0..<guardCount).map { GuardEntry(address: words[$0 * 2], flags: words[$0 * 2 + 1]) }
  }
}
