/// Limits on the debug information that libdw may decode. libdw allocates whatever a file's numbers
/// claim: 365 KB can take 3.5 GB. Every limit is a multiple of the file's real size, far above real
/// compilers' output, so only a malicious file exceeds one. Its debug information is then ignored,
/// and `DebugImage.notes` gives the reason.
enum DebugInfoLimits {
  /// Maximum inflated size of all compressed debug sections: this many times their size, plus
  /// `inflationBase`. zlib's own limit is 1,032; compilers' debug sections shrink to a half or a tenth.
  static let inflation = 32
  static let inflationBase = 1 << 20

  /// libdw keeps about a kilobyte for each unit. The smallest unit of assembler code has 50 bytes.
  static let unitBase = 4096
  static let bytesPerUnit = 48

  /// libdw decodes abbreviations again for each unit, into about 25 times their size. The tables of
  /// all units, shared ones counted for each, may have this size plus that of `.debug_info`. In
  /// Swift programs they have half that size, in C programs a tenth.
  static let abbreviationBase = 4 << 20

  /// libdw visits an entry's attributes whenever it passes the entry, even attributes without data
  /// in `.debug_info`. Compilers give an entry at most 20.
  static let attributes = 256

  /// libdw joins the paths of all files of a line table at once. All joined paths may have this
  /// size plus `pathFactor` times `.debug_line`, where the shortest file takes 6 bytes.
  static let pathBase = 8 << 20
  static let pathFactor = 96

  /// libdw takes about 110 bytes for a row of a line table. There may be this many rows, plus one
  /// for each two bytes of code.
  static let rowBase = 1 << 20
  static let codePerRow = 2

  /// Maximum nesting of entries. Compilers nest some dozens of blocks and inlined calls.
  static let depth = 4096

  /// The function names of a sweep, shared text counted for each, may have this size plus
  /// `nameFactor` times the file's. Linkers at most share the ends of names.
  static let nameBase = 8 << 20
  static let nameFactor = 4

  /// Whether the number of units fits the size of `.debug_info`, and their abbreviations are within
  /// the limits.
  static func areAllowed(_ units: [DWARFUnit], _ sections: DebugSections) -> Bool {
    units.count <= unitBase + sections.info.count / bytesPerUnit
      && AbbreviationTables.areAllowed(units, sections)
  }
}

/// The abbreviation tables of `.debug_abbrev` (DWARF 5, section 7.5.3), measured without decoding:
/// the amount that libdw would decode for a file's units.
struct AbbreviationTables {
  private let bytes: Bytes
  /// Sizes of the tables measured so far, by offset.
  private var sizes: [UInt64: Int] = [:]

  init(_ bytes: Bytes) { self.bytes = bytes }

  /// Whether the tables of all units together are within the limits.
  static func areAllowed(_ units: [DWARFUnit], _ sections: DebugSections) -> Bool {
    var tables = AbbreviationTables(sections.abbreviations)
    var budget = DebugInfoLimits.abbreviationBase + sections.info.count
    for unit in units {
      guard let size = tables.size(at: unit.abbreviations, limit: budget) else { return false }
      budget -= size
      guard budget >= 0 else { return false }
    }
    return true
  }

  /// The size of a table in bytes; nil if an entry has more attributes than the limit, or the table
  /// is larger than `limit`.
  private mutating func size(at offset: UInt64, limit: Int) -> Int? {
    if let size = sizes[offset] { return size }
    guard offset < UInt64(bytes.count) else { return 0 }
    var cursor = ByteCursor(bytes, at: Int(offset))
    let start = cursor.position
    while !cursor.isAtEnd, cursor.uleb() != 0 {
      cursor.skipLEB()
      cursor.skip(1)
      var attributes = 0
      while !cursor.failed {
        let attribute = cursor.uleb()
        let form = cursor.uleb()
        if form == Self.implicitConstant { cursor.skipLEB() }
        if attribute == 0, form == 0 { break }
        attributes += 1
        guard attributes <= DebugInfoLimits.attributes else { return nil }
      }
      guard cursor.position - start <= limit else { return nil }
    }
    sizes[offset] = cursor.position - start
    return cursor.position - start
  }

  /// `DW_FORM_implicit_const`: the abbreviation contains the value.
  private static let implicitConstant: UInt64 = 0x21
}
