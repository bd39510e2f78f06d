/// An ELF file in memory whose debug information is one byte of `.debug_line`: for libdw an alternate file in
/// which nothing is found, so that it looks for no other.
enum EmptyDWARF {
  /// Never freed.
  static let bytes: Bytes = {
    let names = "\0.debug_line\0.shstrtab\0"
    var image: [UInt8] = []
    func put(_ values: [UInt64], size: Int) {
      for value in values {
        for byte in 0..<size { image.append(UInt8(value >> (8 * byte) & 0xff)) }
      }
    }
    let headers: UInt64 = 64
    let contents = headers + 3 * 64
    // ELF header: 64-bit, little-endian, ET_REL, x86-64, three sections, the last with the names.
    image += [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
    put([1, UInt64(ELFFile.amd64)], size: 2)
    put([1], size: 4)
    put([0, 0, headers], size: 8)
    put([0], size: 4)
    put([64, 0, 0, 64, 3, 2], size: 2)
    func section(name: UInt64, type: UInt32, offset: UInt64, size: Int) {
      put([name, UInt64(type)], size: 4)
      put([0, 0, offset, UInt64(size)], size: 8)
      put([0, 0], size: 4)
      put([type == 0 ? 0 : 1, 0], size: 8)
    }
    section(name: 0, type: 0, offset: 0, size: 0)
    section(name: 1, type: ELFSection.progbits, offset: contents, size: 1)
    section(name: 13, type: ELFSection.stringTable, offset: contents + 1, size: names.utf8.count)
    image += [0] + Array(names.utf8)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: image.count, alignment: 16)
    memory.copyBytes(from: image)
    return Bytes(UnsafeRawBufferPointer(memory))
  }()
}
