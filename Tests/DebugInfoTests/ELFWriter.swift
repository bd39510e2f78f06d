import Foundation

/// Writes small ELF files byte by byte, as no compiler would.
struct ELFWriter {
  struct Section {
    var name: String
    var type: UInt32 = 1
    var flags: UInt64 = 0
    var address: UInt64 = 0
    var bytes: [UInt8]
    var link: UInt32 = 0
    var entrySize: UInt64 = 0
  }

  /// What comes after the null section and `.text`, whose code is at `codeStart`.
  var sections: [Section] = []
  /// Offsets into the table of section names, one for each empty section more.
  var emptySections: [UInt32] = []

  static let codeStart: UInt64 = 0x1000
  static let codeSize: UInt64 = 0x100000

  /// A symbol table: functions of 16 bytes, one after the other, by offsets of their names.
  mutating func addSymbols(names: [UInt8], offsets: [UInt32]) {
    var symbols = [UInt8](repeating: 0, count: 24)
    for (index, offset) in offsets.enumerated() {
      symbols += Self.bytes(offset) + [0x12, 0, 1, 0]
      symbols += Self.bytes(Self.codeStart + 16 * UInt64(index)) + Self.bytes(UInt64(16))
    }
    let strings = UInt32(sections.count + 3)
    sections.append(Section(name: ".symtab", type: 2, bytes: symbols, link: strings, entrySize: 24))
    sections.append(Section(name: ".strtab", type: 3, bytes: names))
  }

  func file() -> Data {
    let all = [Section(name: ".text", flags: 6, address: Self.codeStart, bytes: [0x90])] + sections
    var names: [UInt8] = [0]
    var contents: [UInt8] = []
    var headers = [UInt8](repeating: 0, count: 64)
    let bodyStart = UInt64(64 + 56)
    for section in all {
      headers += header(
        name: UInt32(names.count), section, at: bodyStart + UInt64(contents.count))
      names += Array(section.name.utf8) + [0]
      contents += section.bytes
    }
    for name in emptySections {
      headers += header(name: name, Section(name: "", type: 8, bytes: []), at: bodyStart)
    }
    let table = Section(name: "", type: 3, bytes: names)
    headers += header(name: 0, table, at: bodyStart + UInt64(contents.count))
    contents += names
    let count = all.count + emptySections.count + 2
    var file: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
    file += Self.bytes(UInt16(3)) + Self.bytes(UInt16(62)) + Self.bytes(UInt32(1))
    file += Self.bytes(Self.codeStart) + Self.bytes(UInt64(64))
    file += Self.bytes(bodyStart + UInt64(contents.count)) + Self.bytes(UInt32(0))
    for number: Int in [64, 56, 1, 64, count, count - 1] { file += Self.bytes(UInt16(number)) }
    file += Self.bytes(UInt32(1)) + Self.bytes(UInt32(5))
    for number: UInt64 in [0, Self.codeStart, Self.codeStart, Self.codeSize, Self.codeSize, 4096] {
      file += Self.bytes(number)
    }
    return Data(file + contents + headers)
  }

  private func header(name: UInt32, _ section: Section, at offset: UInt64) -> [UInt8] {
    var bytes = Self.bytes(name) + Self.bytes(section.type)
    for number in [section.flags, section.address, offset, UInt64(section.bytes.count)] {
      bytes += Self.bytes(number)
    }
    bytes += Self.bytes(section.link) + Self.bytes(UInt32(0))
    return bytes + Self.bytes(UInt64(1)) + Self.bytes(section.entrySize)
  }

  static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  static func uleb(_ number: Int) -> [UInt8] {
    if number < 128 { return [UInt8(number)] }
    return [UInt8(number & 127 | 128)] + uleb(number >> 7)
  }
}
