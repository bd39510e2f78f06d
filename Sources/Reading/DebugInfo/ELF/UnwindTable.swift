/// The start addresses of an image's functions in its table of unwind entries, `.eh_frame_hdr`, which the
/// loader maps. The runtime numbers functions with entry hooks by their places there.
///
/// Layout: Linux Standard Base, Core, "The .eh_frame_hdr section".
enum UnwindTable {
  /// Link-time addresses in the order of the table, which is rising; empty if there is no such table, or
  /// one in an encoding that no linker writes.
  static func addresses(_ elf: ELFFile) -> [UInt64] {
    guard let section = elf.section(".eh_frame_hdr") else { return [] }
    var cursor = ByteCursor(elf.contents(section))
    // Version; encodings of a pointer relative to itself, of a count, and of distances from the section.
    guard cursor.u32() == 0x3b03_1b01 else { return [] }
    cursor.skip(4)
    let count = Int(cursor.u32())
    guard !cursor.failed, count <= cursor.remaining / 8 else { return [] }
    return (0..<count).map { _ in
      let distance = Int32(bitPattern: cursor.u32())
      cursor.skip(4)
      return section.address &+ UInt64(bitPattern: Int64(distance))
    }
  }
}
