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
