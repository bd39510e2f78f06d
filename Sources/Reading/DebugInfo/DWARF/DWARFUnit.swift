import CElfutils

/// One unit of `.debug_info`, as its first entry describes it.
struct DWARFUnit: Sendable {
  /// Start of the unit in `.debug_info`.
  var offset: UInt64
  /// Offset of the first entry in `.debug_info`.
  var entry: UInt64
  /// End of the unit.
  var end: UInt64
  /// `DW_AT_language`; 0 if the unit has none.
  var language: UInt64 = 0
  /// Offset of the abbreviations: units of one compilation may share them.
  var abbreviations: UInt64
  /// Whether the unit's kind can contain code: type units cannot.
  var isCode = false
  /// Whether it has a line table; the table may contain only file names.
  var hasLines = false
  /// Whether the unit has its code ranges.
  var hasRanges = false
  /// Whether the unit's entries are in a separate file (`.dwo`; DWARF 5, section 7.3.2), which libdw opens.
  var isSkeleton = false
  /// Whether Swift's compiler marks the unit as optimised (`DW_AT_APPLE_optimized`).
  var isMarkedOptimised = false

  static let swift = UInt64(DW_LANG_Swift)
  static let assembler = UInt64(DW_LANG_Mips_Assembler)

  /// The units of a file with the fields of their headers; `read` adds those of the first entry.
  static func list(_ handle: DWARFHandle) -> [DWARFUnit] {
    var units: [DWARFUnit] = []
    var offset: Dwarf_Off = 0
    var next: Dwarf_Off = 0
    var headerSize = 0
    var abbreviations: Dwarf_Off = 0
    while units.count < Int(Int32.max),
      dwarf_next_unit(
        handle.dwarf, offset, &next, &headerSize, nil, &abbreviations, nil, nil, nil, nil) == 0,
      next > offset
    {
      units.append(
        DWARFUnit(
          offset: offset, entry: offset + UInt64(headerSize), end: next,
          abbreviations: abbreviations))
      offset = next
    }
    return units
  }

  /// Reads and returns the first entry; nil if it cannot be read, or the unit cannot contain code.
  mutating func read(_ handle: DWARFHandle) -> Dwarf_Die? {
    var entry = Dwarf_Die()
    guard dwarf_offdie(handle.dwarf, self.entry, &entry) != nil,
      [DW_TAG_compile_unit, DW_TAG_partial_unit, DW_TAG_skeleton_unit]
        .contains(where: { CInt($0) == dwarf_tag(&entry) })
    else { return nil }
    isCode = true
    readAttributes(of: entry)
    return entry
  }

  /// Adds the fields of a first entry.
  mutating func readAttributes(of entry: Dwarf_Die) {
    var entry = entry
    withUnsafeMutablePointer(to: &self) { unit in
      _ = dwarf_getattrs(
        &entry,
        { attribute, context in
          let unit = context!.assumingMemoryBound(to: DWARFUnit.self)
          switch dwarf_whatattr(attribute) {
          case Attribute.language: dwarf_formudata(attribute, &unit.pointee.language)
          case Attribute.statementList: unit.pointee.hasLines = true
          case Attribute.highPC, Attribute.ranges: unit.pointee.hasRanges = true
          case Attribute.splitName, Attribute.gnuSplitName: unit.pointee.isSkeleton = true
          case Attribute.appleOptimised: unit.pointee.isMarkedOptimised = true
          default: break
          }
          return CInt(DWARF_CB_OK)
        }, unit, 0)
    }
  }
}
