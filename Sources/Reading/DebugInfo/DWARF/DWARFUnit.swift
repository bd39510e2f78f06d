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
  /// Offset of the line table in `.debug_line`; the table may contain only file names.
  var lineTable: UInt64?
  /// Whether it has a line table.
  var hasLines: Bool { lineTable != nil }
  /// Whether the unit has its code ranges.
  var hasRanges = false
  /// Whether the unit's entries are in a separate file: see `SplitUnit`.
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
    withUnsafeMutablePointer(to: &self) { unit in
      _ = dwarf_getattrs(
        &entry,
        { attribute, context in
          let unit = context!.assumingMemoryBound(to: DWARFUnit.self)
          switch dwarf_whatattr(attribute) {
          case Attribute.language: dwarf_formudata(attribute, &unit.pointee.language)
          case Attribute.statementList:
            var offset: Dwarf_Word = 0
            if dwarf_formudata(attribute, &offset) == 0 { unit.pointee.lineTable = offset }
          case Attribute.highPC, Attribute.ranges: unit.pointee.hasRanges = true
          case Attribute.splitName, Attribute.gnuSplitName: unit.pointee.isSkeleton = true
          case Attribute.appleOptimised: unit.pointee.isMarkedOptimised = true
          default: break
          }
          return CInt(DWARF_CB_OK)
        }, unit, 0)
    }
    return entry
  }
}

/// A unit opened through one thread's own handle: its entries, lines and files.
struct OpenUnit {
  let handle: DWARFHandle
  /// Index in `DWARFIndex.units`.
  let index: Int
  /// The fields of the first entry.
  let facts: DWARFUnit
  /// The first entry; for a split unit, the one in the `.dwo` file.
  let root: Dwarf_Die
  let lines: UnitLines
  /// The part with the entries, if they are in a separate file.
  let split: SplitUnit?
  /// End of the unit in the program's file.
  private let end: UnsafeRawPointer

  /// Nil if libdw cannot read the unit.
  init?(_ unit: DWARFUnit, index: Int, _ handle: DWARFHandle) {
    var root = Dwarf_Die()
    guard dwarf_offdie(handle.dwarf, unit.entry, &root) != nil, let place = root.addr else {
      return nil
    }
    self.handle = handle
    self.index = index
    end = UnsafeRawPointer(place) + Int(unit.end - unit.entry)
    lines = UnitLines(&root, withRows: unit.hasLines, handle)
    var facts = unit
    split = unit.isSkeleton && unit.hasRanges ? handle.splitUnit(unit.offset, &root) : nil
    if let split {
      facts.language = split.facts.language
      facts.isMarkedOptimised = split.facts.isMarkedOptimised
    }
    self.facts = facts
    self.root = split?.root ?? root
  }

  /// A text of the unit's first entry.
  func text(_ attribute: UInt32) -> String? {
    var root = root
    var found = Dwarf_Attribute()
    guard dwarf_attr(&root, attribute, &found) != nil, let text = dwarf_formstring(&found) else {
      return nil
    }
    return String(cString: text)
  }

  /// Releases the memory of the entries; a later reference reads them again.
  func releaseEntries() {
    if let split { return split.releaseEntries() }
    guard let place = root.addr else { return }
    handle.file?.release(Bytes(base: place, count: end - UnsafeRawPointer(place)))
  }

  /// The unit's entries, each once.
  var entries: EntryCursor { split?.entries ?? EntryCursor(below: root, end: end) }

  /// Calls `body` with each range of an entry's code, link-time addresses.
  func forEachRange(of entry: inout Dwarf_Die, _ body: (UInt64, UInt64) -> Void) {
    handle.forEachRange(of: &entry, in: split, body)
  }
}
