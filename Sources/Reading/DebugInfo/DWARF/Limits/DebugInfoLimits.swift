/// How much of debug information libdw may be asked to decode. libdw allocates for what a file's numbers
/// claim: 365 KB can take 3.5 GB. Every limit is a multiple of the file's real size, far above what
/// compilers write, so a file beyond one was made to exceed it. It is read without debug information, and
/// `DebugImage.notes` says why.
enum DebugInfoLimits {
  /// Compressed debug sections, added up, may inflate to this many times their size and `inflationBase`.
  /// zlib's own limit is 1,032; debug sections of compilers shrink to a half or a tenth.
  static let inflation = 32
  static let inflationBase = 1 << 20

  /// libdw keeps about a kilobyte for each unit. The smallest unit of assembler code takes 50 bytes.
  static let unitBase = 4096
  static let bytesPerUnit = 48

  /// libdw decodes abbreviations again for each unit, into about 25 times their size. The tables of all
  /// units, shared ones counted for each, may be this large and as large as `.debug_info`. Of Swift's
  /// programs they are half as large, of C's a tenth.
  static let abbreviationBase = 4 << 20

  /// libdw visits the attributes of an entry whenever it passes it, also those that take no space in
  /// `.debug_info`. Compilers give an entry at most 20.
  static let attributes = 256

  /// libdw joins the paths of a line table's files at once. All that it joins may be this large and
  /// `pathFactor` times `.debug_line`, where the shortest file takes 6 bytes.
  static let pathBase = 8 << 20
  static let pathFactor = 96

  /// libdw takes about 110 bytes for a row of a line table. Beyond this many there may be one for two bytes
  /// of code.
  static let rowBase = 1 << 20
  static let codePerRow = 2

  /// How deeply entries may nest. Compilers nest some dozens of blocks and inlined calls.
  static let depth = 4096

  /// The names of a sweep's functions, those that share text counted for each, may be this large and
  /// `nameFactor` times the file. Linkers share the ends of names at most.
  static let nameBase = 8 << 20
  static let nameFactor = 4

  /// Whether there are no more units than fit into `.debug_info`, and their abbreviations are within the
  /// limits.
  static func areAllowed(_ units: [DWARFUnit], _ sections: DebugSections) -> Bool {
    units.count <= unitBase + sections.info.count / bytesPerUnit
      && AbbreviationTables.areAllowed(units, sections)
  }
}

/// The abbreviation tables of `.debug_abbrev` (DWARF 5, section 7.5.3), measured and not decoded: what the
/// units of a file would make libdw decode of them.
struct AbbreviationTables {
  private let bytes: Bytes
  /// By offset, the sizes of those that were measured.
  private var sizes: [UInt64: Int] = [:]

  init(_ bytes: Bytes) { self.bytes = bytes }

  /// Whether the tables of all units, together, are within the limits.
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

  /// How many bytes a table has; nil if an entry of it has more attributes than the limit, or if it is
  /// larger than `limit`.
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

  /// `DW_FORM_implicit_const`: its value stands in the abbreviation.
  private static let implicitConstant: UInt64 = 0x21
}
