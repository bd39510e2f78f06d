import Foundation
import Testing

/// An executable made byte by byte to harm whoever reads it: small itself, large once it is read.
struct HostileBinary: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Of a build id, as hex digits.
  let bytes: @Sendable (String) -> Data

  /// Makes a larger table than its reader may answer.
  static let ofLongNames = HostileBinary("six names of 3 MB, each the end of the last") { id in
    named(id, String(repeating: "N", count: 3_000_000), count: 6, areEnds: true)
  }

  /// Names none of its functions, so its reader refuses it at once.
  static let withoutTable = HostileBinary("a million guards that are nothing but zeros") { id in
    ELFWriter.file(base(id, guards: 1_000_000, hasTable: false))
  }

  /// Every kind, each of at most a few megabytes.
  static let all = [
    HostileBinary("section headers that share a name of 500,000 bytes") { id in
      let sections = base(id) + [section(String(repeating: "L", count: 500_000), type: 1, "x")]
      return ELFWriter.file(sections, headersLikeLast: 16_000)
    },
    HostileBinary("symbols that share a name of 500,000 bytes") { id in
      named(id, String(repeating: "N", count: 500_000), count: 20_000)
    },
    HostileBinary("a Swift name with 100,000 levels") { id in
      named(id, "$s4main1fyySi" + String(repeating: "Sg", count: 100_000) + "F")
    },
    HostileBinary("a C++ name with 100,000 pointers") { id in
      named(id, "_Z1f" + String(repeating: "P", count: 100_000) + "i")
    },
    HostileBinary("units that share a line header of 160,000 files") { id in
      dwarf(
        id, abbreviations: unitAbbreviation + [0], units: 16_000,
        files: (0..<160_000).flatMap { _ in [0x66, 0, 0, 0, 0] as [UInt8] })
    },
    HostileBinary("units that share 80,000 abbreviations") { id in
      var abbreviations = unitAbbreviation
      for code in 2..<80_002 as Range<UInt64> {
        abbreviations += leb128(code) + [0x34, 0, 0x03, 0x08, 0, 0]
      }
      return dwarf(id, abbreviations: abbreviations + [0], units: 8000, files: [])
    },
    ofLongNames,
    HostileBinary("a line header that claims 2^25 empty directories") { id in
      var header: [UInt8] = [1, 1, 1, 0xfb, 0x0e, 0x0d, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]
      // One column: a directory index that takes no byte (DW_FORM_flag_present).
      header += [1] + leb128(2) + leb128(0x19) + leb128(1 << 25)
      header += [UInt8](repeating: 0, count: 1 << 16)
      let line = sized(
        [5, 0, 8, 0] + little(UInt32(header.count)) + header + [1])
      let unit = sized([5, 0, 1, 8] + little(UInt32(0)) + unitEntry)
      return ELFWriter.file(
        base(id) + [
          section(".debug_info", type: 1, unit),
          section(".debug_abbrev", type: 1, unitAbbreviation + [0]),
          section(".debug_line", type: 1, line),
        ])
    },
  ]

  private init(_ description: String, _ bytes: @escaping @Sendable (String) -> Data) {
    testDescription = description
    self.bytes = bytes
  }

  private typealias Section = ELFWriter.Section

  private static func section(_ name: String, type: UInt32, _ text: String) -> Section {
    Section(name: name, type: type, bytes: Array(text.utf8))
  }

  private static func section(_ name: String, type: UInt32, _ bytes: [UInt8]) -> Section {
    Section(name: name, type: type, bytes: bytes)
  }

  /// A build id, code, guards and their table: as many guards as the program of `FleetFixture` has.
  private static func base(
    _ id: String, guards: Int = 6, hasTable: Bool = true
  ) -> [Section] {
    let digits = stride(from: 0, to: id.count, by: 2).compactMap {
      UInt8(id.dropFirst($0).prefix(2), radix: 16)
    }
    let note = little(UInt32(4)) + little(UInt32(digits.count)) + little(UInt32(3))
    let table = (0..<guards).flatMap { little(UInt64(0x1000 + 16 * $0)) + little(UInt64(1)) }
    return [
      Section(name: ".note.gnu.build-id", type: 7, bytes: note + Array("GNU\0".utf8) + digits),
      Section(
        name: ".text", type: 1, flags: 6, address: 0x1000,
        bytes: [UInt8](repeating: 0x90, count: 64)),
      Section(
        name: "__sancov_guards", type: 1, flags: 3, address: 0x20_0000,
        bytes: [UInt8](repeating: 0, count: guards * 4)),
    ]
      + (hasTable
        ? [Section(name: "__sancov_pcs", type: 1, flags: 3, address: 0x30_0000, bytes: table)] : [])
  }

  /// Functions that all have one name, or each the end of the name before.
  private static func named(
    _ id: String, _ name: String, count: Int = 8, areEnds: Bool = false
  ) -> Data {
    var symbols = [UInt8](repeating: 0, count: 24)
    for number in 0..<count {
      symbols += little(UInt32(areEnds ? number + 1 : 1)) + [0x12, 0, 2, 0]
      symbols += little(UInt64(0x1000 + 16 * (number % 2000))) + little(UInt64(16))
    }
    let sections = base(id)
    return ELFWriter.file(
      sections + [
        Section(
          name: ".symtab", type: 2, link: UInt32(sections.count + 2), entrySize: 24, bytes: symbols),
        Section(name: ".strtab", type: 3, bytes: [0] + Array(name.utf8) + [0]),
      ])
  }

  /// Compilation unit without children: line table, address, language.
  private static let unitAbbreviation: [UInt8] = [
    1, 0x11, 0, 0x10, 0x17, 0x11, 0x01, 0x13, 0x05, 0, 0,
  ]

  private static let unitEntry: [UInt8] =
    [1] + little(UInt32(0)) + little(UInt64(0x1000)) + [0x0c, 0, 0]

  /// DWARF 4 units that are alike and share one line header.
  private static func dwarf(
    _ id: String, abbreviations: [UInt8], units: Int, files: [UInt8]
  ) -> Data {
    let unit = sized([4, 0] + little(UInt32(0)) + [8] + unitEntry)
    let header: [UInt8] =
      [1, 1, 1, 0xfb, 0x0e, 0x0d, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1] + [0] + files + [0]
    let line = sized([4, 0] + little(UInt32(header.count)) + header + [1])
    return ELFWriter.file(
      base(id) + [
        section(".debug_info", type: 1, Array(repeatElement(unit, count: units).joined())),
        section(".debug_abbrev", type: 1, abbreviations),
        section(".debug_line", type: 1, line),
      ])
  }

  private static func sized(_ bytes: [UInt8]) -> [UInt8] { little(UInt32(bytes.count)) + bytes }

  private static func leb128(_ value: UInt64) -> [UInt8] {
    var (rest, bytes) = (value, [UInt8]())
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
}
