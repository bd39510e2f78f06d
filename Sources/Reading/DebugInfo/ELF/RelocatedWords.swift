/// Reads a section of 64-bit words as the loader would leave it at load bias 0.
///
/// In an executable that isn't position independent the addresses are plain. Elsewhere relocations
/// make them: RELA ones carry the address themselves; packed (RELR) and REL ones add the load bias
/// to what is in place, so for those the file's contents are the link-time address already.
enum RelocatedWords {
  /// The whole words of the section, in order; none if it has no contents.
  static func words(_ elf: ELFFile, _ section: ELFSection) -> [UInt64] {
    var words: [UInt64] = []
    var cursor = ByteCursor(elf.contents(section))
    words.reserveCapacity(cursor.remaining / 8)
    while cursor.remaining >= 8 { words.append(cursor.u64()) }
    for relocations in elf.sections where relocations.isAllocated {
      switch relocations.type {
      case ELFSection.rela: apply(elf, relocations, hasAddend: true, to: &words, at: section)
      case ELFSection.rel: apply(elf, relocations, hasAddend: false, to: &words, at: section)
      default: break
      }
    }
    return words
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
      guard place & 7 == 0, place >> 3 < UInt64(words.count) else { continue }
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
