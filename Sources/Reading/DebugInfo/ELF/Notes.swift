import FirstlightModel

/// Reads an ELF file's notes and links: its build id and its separate debug file.
enum Notes {
  /// The build id: `NT_GNU_BUILD_ID` in a note segment, or in a note section if no segment has it.
  static func buildID(_ elf: ELFFile) -> BuildID? {
    for segment in elf.segments where segment.type == ELFSegment.note {
      if let notes = elf.file.bytes.slice(segment.offset, segment.fileSize),
        let found = buildID(in: notes)
      {
        return found
      }
    }
    // Files of debug information alone have segments that point at missing contents.
    for section in elf.sections where section.type == ELFSection.note {
      if let found = buildID(in: elf.contents(section)) { return found }
    }
    return nil
  }

  private static func buildID(in notes: Bytes) -> BuildID? {
    var cursor = ByteCursor(notes)
    while cursor.remaining >= 12 {
      let nameSize = Int(cursor.u32())
      let size = Int(cursor.u32())
      let type = cursor.u32()
      let name = cursor.position
      cursor.skip((nameSize + 3) & ~3)
      let contents = cursor.position
      cursor.skip(size)
      if cursor.failed { return nil }
      if type == 3, nameSize == 4, notes.load(name, as: UInt32.self) == 0x0055_4e47 {
        let id = UnsafeRawBufferPointer(start: notes.base + contents, count: size)
        // Linkers write 8, 16 or 20 bytes. A user can ask for more, but hardly for this many.
        return size <= 64 ? BuildID(bytes: id) : nil
      }
      cursor.skip(min((4 - size & 3) & 3, cursor.remaining))
    }
    return nil
  }

  /// The name and checksum in `.gnu_debuglink`.
  static func debugLink(_ elf: ELFFile) -> (name: String, checksum: UInt32)? {
    guard let section = elf.section(".gnu_debuglink") else { return nil }
    let contents = elf.contents(section)
    guard let name = contents.cString(0), !name.isEmpty,
      let checksum = contents.load((name.count + 4) & ~3, as: UInt32.self)
    else { return nil }
    return (name.text, checksum)
  }

  /// The path and build id in `.gnu_debugaltlink`, which name the file with debug information that `dwz` moved.
  static func alternateLink(_ elf: ELFFile) -> AlternateFile.Link? {
    guard let section = elf.section(".gnu_debugaltlink") else { return nil }
    let contents = elf.contents(section)
    guard let path = contents.cString(0) else { return nil }
    let start = path.count + 1
    let id = UnsafeRawBufferPointer(
      start: contents.base + start, count: min(contents.count - start, 64))
    return AlternateFile.Link(path: path.text, buildID: BuildID(bytes: id))
  }
}
