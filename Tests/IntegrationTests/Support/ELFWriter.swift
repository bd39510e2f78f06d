import Foundation

/// Writes ELF files (x86_64, ET_DYN) from sections, whatever these hold.
enum ELFWriter {
  struct Section {
    var name: String
    var type: UInt32
    var flags: UInt64 = 0
    var address: UInt64 = 0
    var link: UInt32 = 0
    var entrySize: UInt64 = 0
    var bytes: [UInt8]
  }

  /// - Parameter headersLikeLast: so many more section headers, without contents, that have the name of
  ///   the last section.
  static func file(_ sections: [Section], headersLikeLast: Int = 0) -> Data {
    let headerSize: UInt64 = 64 + 3 * 56
    var body = Data()
    func place(_ bytes: some Sequence<UInt8>) -> UInt64 {
      body.append(contentsOf: [UInt8](repeating: 0, count: (16 - body.count % 16) % 16))
      defer { body.append(contentsOf: bytes) }
      return headerSize + UInt64(body.count)
    }
    var names = Data([0])
    var headers = Data(count: 64)
    var note: (offset: UInt64, size: UInt64) = (0, 0)
    var lastName: UInt32 = 0
    for section in sections {
      lastName = UInt32(names.count)
      names.append(contentsOf: Array(section.name.utf8) + [0])
      let offset = place(section.bytes)
      if section.type == 7 { note = (offset, UInt64(section.bytes.count)) }
      headers += header(
        lastName, section.type, section.flags, section.address, offset,
        UInt64(section.bytes.count), section.link, section.entrySize)
    }
    let ownName = UInt32(names.count)
    names.append(contentsOf: Array(".shstrtab".utf8) + [0])
    headers += header(ownName, 3, 0, 0, place(names), UInt64(names.count), 0, 0)
    for _ in 0..<headersLikeLast { headers += header(lastName, 8, 0, 0, 0, 0, 0, 0) }
    let headersAt = place(headers)

    var file = Data([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9))
    file += little(UInt16(3)) + little(UInt16(62)) + little(UInt32(1)) + little(UInt64(0x1000))
    file += little(UInt64(64)) + little(headersAt) + little(UInt32(0)) + little(UInt16(64))
    file += little(UInt16(56)) + little(UInt16(3)) + little(UInt16(64))
    file += little(UInt16(headers.count / 64)) + little(UInt16(sections.count + 1))
    // Code at 0x1000, the marker of an executable, the build id.
    file += segment(1, flags: 5, offset: 0, address: 0x1000, size: 0x10_0000)
    file += segment(3, flags: 4, offset: 0, address: 0, size: 0)
    file += segment(4, flags: 4, offset: note.offset, address: 0, size: note.size)
    return file + body
  }

  private static func header(
    _ name: UInt32, _ type: UInt32, _ flags: UInt64, _ address: UInt64, _ offset: UInt64,
    _ size: UInt64, _ link: UInt32, _ entrySize: UInt64
  ) -> Data {
    little(name) + little(type) + little(flags) + little(address) + little(offset) + little(size)
      + little(link) + little(UInt32(0)) + little(UInt64(1)) + little(entrySize)
  }

  private static func segment(
    _ type: UInt32, flags: UInt32, offset: UInt64, address: UInt64, size: UInt64
  ) -> Data {
    little(type) + little(flags) + little(offset) + little(address) + little(address)
      + little(size) + little(size) + little(UInt64(4))
  }

  private static func little(_ value: some FixedWidthInteger) -> Data {
    withUnsafeBytes(of: value.littleEndian) { Data($0) }
  }
}
