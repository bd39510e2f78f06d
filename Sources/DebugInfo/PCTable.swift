/// Reads the PC table out of the file, as the loader would leave it at load bias 0.
///
/// In an executable that isn't position independent the addresses are plain. Elsewhere relocations
/// make them: RELA ones carry the address themselves; packed (RELR) and REL ones add the load bias
/// to what is in place, so for those the file's contents are the link-time address already.
enum PCTable {
  /// One entry a guard, in guard order; empty if the file has none or it doesn't match the guards.
  static func entries(_ elf: ELFFile, guardCount: Int) -> [GuardEntry] {
    guard let section = elf.section("__sancov_pcs"), section.size == UInt64(guardCount) * 16
    else { return [] }
    let contents = elf.contents(section)
    guard contents.count == guardCount * 16 else { return [] }
    var words: [UInt64] = []
    words.reserveCapacity(guardCount * 2)
    var cursor = ByteCursor(contents)
    while !cursor.isAtEnd { words.append(cursor.u64()) }
    for relocations in elf.sections where relocations.isAllocated {
      switch relocations.type {
      case ELFSection.rela: apply(elf, relocations, hasAddend: true, to: &words, at: section)
      case ELFSection.rel: apply(elf, relocations, hasAddend: false, to: &words, at: section)
      default: break
      }
    }
    return (0..<guardCount).map { GuardEntry(address: words[$0 * 2], flags: words[$0 * 2 + 1]) }
  }

  private static func apply(
    _ elf: ELFFile, _ relocations: ELFSection, hasAddend: Bool, to words: inout [UInt64],
    at target: ELFSection
  ) {
    let contents = elf.contents(relocations)
    let symbols =
      Int(relocations.link) < elf.sections.count
      ? elf.contents(elf.sections[Int(relocations.link)]) : .empty
    let size = hasAddend ? 24 : 16
    // R_X86_64_RELATIVE and R_X86_64_64; R_AARCH64_RELATIVE and R_AARCH64_ABS64.
    let isArm = elf.machine == ELFFile.aarch64
    let relative: UInt32 = isArm ? 1027 : 8
    let absolute: UInt32 = isArm ? 257 : 1
    for index in 0..<(contents.count / size) {
      let entry = contents.base + index &* size
      let place = entry.loadUnaligned(as: UInt64.self) &- target.address
      guard place < target.size, place & 7 == 0 else { continue }
      let word = Int(place >> 3)
      let info = entry.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      let addend =
        hasAddend ? entry.loadUnaligned(fromByteOffset: 16, as: UInt64.self) : words[word]
      switch UInt32(truncatingIfNeeded: info) {
      case relative: words[word] = addend
      case absolute:
        let symbol = Int(info >> 32)
        if let value = symbols.load(symbol &* 24 &+ 8, as: UInt64.self) {
          words[word] = value &+ addend
        }
      default: break
      }
    }
  }
}
