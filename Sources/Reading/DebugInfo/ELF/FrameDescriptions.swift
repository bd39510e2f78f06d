/// The functions in the unwind tables: one entry (FDE) of `.eh_frame` for each piece of code.
///
/// Layout: Linux Standard Base, Core, "Exception Frames"; pointer encodings as in DWARF's DW_EH_PE_*. Skips
/// entries with encodings that linked files do not have.
enum FrameDescriptions {
  struct Entry: Sendable {
    /// Link-time address.
    var start: UInt64
    var size: UInt64
  }

  /// The entries in the order of the section.
  static func read(_ elf: ELFFile) -> [Entry] {
    guard let section = elf.section(".eh_frame") else { return [] }
    let bytes = elf.contents(section)
    var entries: [Entry] = []
    var encodings: [Int: UInt8] = [:]
    var cursor = ByteCursor(bytes)
    while cursor.remaining >= 4 {
      let begin = cursor.position
      var length = UInt64(cursor.u32())
      // A length of 0 ends the part of one object file; others may follow.
      if length == 0 { continue }
      if length == 0xffff_ffff { length = cursor.u64() }
      let body = cursor.position
      guard !cursor.failed, length <= UInt64(cursor.remaining) else { break }
      let end = body + Int(length)
      let pointer = Int(cursor.u32())
      if pointer == 0 {
        encodings[begin] = encoding(bytes, at: cursor.position, end: end)
      } else if let encoding = encodings[body - pointer] {
        let place = section.address &+ UInt64(cursor.position)
        let start = value(&cursor, encoding: encoding, place: place)
        // The size has the same format, but is not relative.
        let size = value(&cursor, encoding: encoding & 0x0f, place: 0)
        if let start, let size, !cursor.failed, cursor.position <= end, size > 0 {
          entries.append(Entry(start: start, size: size))
        }
      }
      cursor = ByteCursor(bytes, at: end)
    }
    return entries
  }

  /// The encoding of addresses in the entries of a CIE; nil if unknown.
  private static func encoding(_ bytes: Bytes, at position: Int, end: Int) -> UInt8? {
    var cursor = ByteCursor(bytes, at: position)
    cursor.limit(to: end)
    let version = cursor.u8()
    let augmentation = cursor.cString().text
    guard version == 1 || version == 3, augmentation.isEmpty || augmentation.begins(with: "z")
    else {
      return nil
    }
    _ = cursor.uleb()
    _ = cursor.sleb()
    if version == 1 { cursor.skip(1) } else { _ = cursor.uleb() }
    if augmentation.isEmpty { return cursor.failed ? nil : 0 }
    _ = cursor.uleb()
    for letter in augmentation.utf8.dropFirst() {
      switch letter {
      case UInt8(ascii: "R"):
        let encoding = cursor.u8()
        return cursor.failed ? nil : encoding
      case UInt8(ascii: "L"): cursor.skip(1)
      case UInt8(ascii: "P"):
        let personality = cursor.u8()
        guard let size = size(ofFormat: personality) else { return nil }
        cursor.skip(size)
      case UInt8(ascii: "S"), UInt8(ascii: "B"): break
      default: return nil
      }
    }
    return 0
  }

  /// Bytes of a pointer; nil for the LEB128 formats, which no linker writes here.
  private static func size(ofFormat encoding: UInt8) -> Int? {
    switch encoding & 0x0f {
    case 0x00, 0x04, 0x0c: 8
    case 0x02, 0x0a: 2
    case 0x03, 0x0b: 4
    default: nil
    }
  }

  private static func value(
    _ cursor: inout ByteCursor, encoding: UInt8, place: UInt64
  ) -> UInt64? {
    guard let size = size(ofFormat: encoding) else { return nil }
    var value = cursor.unsigned(size: size)
    // Bit 3 marks signed formats. The size of a function has the bit too, but is positive.
    if encoding & 0x08 != 0, size < 8, value >> (UInt64(size) * 8 - 1) == 1 {
      value |= ~UInt64(0) << (UInt64(size) * 8)
    }
    switch encoding & 0x70 {
    case 0x00: return value
    case 0x10: return place &+ value
    default: return nil
    }
  }
}
