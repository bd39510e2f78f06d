import CElfutils

/// One unit of `.debug_info`: what its first entry says.
struct DWARFUnit: Sendable {
  /// Where it starts in `.debug_info`.
  var offset: UInt64
  /// Where its first entry is there.
  var entry: UInt64
  /// Where it ends.
  var end: UInt64
  /// `DW_AT_language`; 0 if it says none.
  var language: UInt64 = 0
  /// Where its abbreviations are: units of one compilation may share them.
  var abbreviations: UInt64
  /// Whether it is of a kind that can hold code: types are not.
  var isCode = false
  /// Where its line table is, of code or of files alone, in `.debug_line`.
  var lineTable: UInt64?
  /// Whether it has a line table.
  var hasLines: Bool { lineTable != nil }
  /// Whether it says where its code is.
  var hasRanges = false
  /// Whether its entries are in a file of their own: see `SplitUnit`.
  var isSkeleton = false
  /// Whether Swift's compiler says that it optimised the unit (`DW_AT_APPLE_optimized`).
  var isMarkedOptimised = false

  /// The Swift compiler's version, `[6, 3, 1]`; nil of units in other languages.
  var swiftVersion: [Int]?

  static let swift = UInt64(DW_LANG_Swift)
  static let assembler = UInt64(DW_LANG_Mips_Assembler)

  /// The units of a file as their headers list them; what their entries say comes with `read`.
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

  /// Reads the first entry, and gives it; nil if it can't be read or is of no unit with code.
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
    if language == Self.swift { swiftVersion = Self.swiftVersion(&entry) }
    return entry
  }

  /// Reads `Swift version 6.3.1 (swift-6.3.1-RELEASE)`.
  private static func swiftVersion(_ entry: inout Dwarf_Die) -> [Int]? {
    var attribute = Dwarf_Attribute()
    guard dwarf_attr(&entry, Attribute.producer, &attribute) != nil,
      let text = dwarf_formstring(&attribute)
    else { return nil }
    let producer = String(cString: text)
    guard let label = producer.firstRange(of: "Swift version ") else { return nil }
    let number = producer[label.upperBound...].prefix { $0.isNumber || $0 == "." }
    let parts = number.split(separator: ".").compactMap { Int($0) }
    return parts.isEmpty ? nil : parts
  }
}

/// A unit that a thread works on: its entries, lines and files, by the thread's own handle.
struct OpenUnit {
  let handle: DWARFHandle
  /// Its place in `DWARFIndex.units`.
  let index: Int
  /// What its first entry says.
  let facts: DWARFUnit
  /// Its first entry: of a split unit the one in the `.dwo` file.
  let root: Dwarf_Die
  let lines: UnitLines
  /// Its entries' part, if they are in a file of their own.
  let split: SplitUnit?
  /// One past its last byte, in the program.
  private let end: UnsafeRawPointer

  /// Nil if libdw can't read it.
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

  /// Gives back the memory of its entries; they are read again where something refers to them.
  func releaseEntries() {
    if let split { return split.releaseEntries() }
    guard let place = root.addr else { return }
    handle.file?.release(Bytes(base: place, count: end - UnsafeRawPointer(place)))
  }

  /// Its entries, each once.
  var entries: EntryCursor { split?.entries ?? EntryCursor(below: root, end: end) }

  /// Calls `body` with each range of an entry's code, link-time addresses.
  func forEachRange(of entry: inout Dwarf_Die, _ body: (UInt64, UInt64) -> Void) {
    handle.forEachRange(of: &entry, in: split, body)
  }
}
