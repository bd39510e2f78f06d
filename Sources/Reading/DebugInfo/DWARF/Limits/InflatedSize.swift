/// What compressed debug sections claim to inflate to. Both forms have it in their first bytes: the header
/// of `SHF_COMPRESSED` (System V ABI, chapter 4), and "ZLIB" before a big-endian size in `.zdebug_` sections.
enum InflatedSize {
  /// Whether libdw may inflate what the file claims.
  static func isAllowed(_ file: ELFFile) -> Bool {
    var stored = 0
    var claimed = UInt64(0)
    for section in file.sections {
      let bytes = file.contents(section)
      var size: UInt64 = 0
      if section.isCompressed {
        size = bytes.load(8, as: UInt64.self) ?? 0
      } else if section.name.hasPrefix(".zdebug_"), bytes.load(0, as: UInt32.self) == zlib {
        size = bytes.load(4, as: UInt64.self).map(UInt64.init(bigEndian:)) ?? 0
      } else {
        continue
      }
      stored += bytes.count
      let (sum, overflow) = claimed.addingReportingOverflow(size)
      claimed = overflow ? .max : sum
    }
    return claimed <= UInt64(DebugInfoLimits.inflationBase + stored * DebugInfoLimits.inflation)
  }

  /// "ZLIB", as a little-endian number.
  private static let zlib: UInt32 = 0x4249_4c5a
}
