/// Creates ELF files in memory with one section, which are never freed. They show what libelf and libdw can do,
/// or limit what these do.
enum TinyELF {
  /// An object file for x86-64 with a section of this name, flags and contents.
  static func file(section name: String, flags: UInt64 = 0, _ bytes: [UInt8]) -> Bytes {
    let names = "\0\(name)\0.shstrtab\0"
    var image: [UInt8] = []
    func put(_ values: [UInt64], size: Int) {
      for value in values {
        for byte in 0..<size { image.append(UInt8(value >> (8 * byte) & 0xff)) }
      }
    }
    let headers: UInt64 = 64
    let contents = headers + 3 * 64
    // ELF header: 64-bit, little-endian, ET_REL, three sections, the last with the names.
    image += [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
    put([1, UInt64(ELFFile.amd64)], size: 2)
    put([1], size: 4)
    put([0, 0, headers], size: 8)
    put([0], size: 4)
    put([64, 0, 0, 64, 3, 2], size: 2)
    func section(name: Int, type: UInt32, flags: UInt64, offset: UInt64, size: Int) {
      put([UInt64(name), UInt64(type)], size: 4)
      put([flags, 0, offset, UInt64(size)], size: 8)
      put([0, 0], size: 4)
      put([type == 0 ? 0 : 1, 0], size: 8)
    }
    section(name: 0, type: 0, flags: 0, offset: 0, size: 0)
    section(
      name: 1, type: ELFSection.progbits, flags: flags, offset: contents, size: bytes.count)
    section(
      name: name.utf8.count + 2, type: ELFSection.stringTable, flags: 0,
      offset: contents + UInt64(bytes.count), size: names.utf8.count)
    image += bytes + Array(names.utf8)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: image.count, alignment: 16)
    memory.copyBytes(from: image)
    return Bytes(UnsafeRawBufferPointer(memory))
  }

  /// Debug information of one byte in `.debug_line`: an alternate file in which libdw finds nothing, so that it
  /// does not search for another.
  static let emptyDWARF = file(section: ".debug_line", [0])
}
