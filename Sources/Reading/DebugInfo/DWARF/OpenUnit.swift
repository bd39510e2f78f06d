import CElfutils

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
  /// End of the unit with `root`.
  private let end: UnsafeRawPointer

  /// Nil if libdw cannot read the unit.
  init?(_ unit: DWARFUnit, index: Int, _ handle: DWARFHandle) {
    var root = Dwarf_Die()
    guard dwarf_offdie(handle.dwarf, unit.entry, &root) != nil, let place = root.addr else {
      return nil
    }
    self.handle = handle
    self.index = index
    // Lines and files of a split unit are in the program.
    lines = UnitLines(&root, withRows: unit.hasLines, handle)
    guard unit.isSkeleton, unit.hasRanges else {
      end = UnsafeRawPointer(place) + Int(unit.end - unit.entry)
      facts = unit
      self.root = root
      return
    }
    guard SplitFile.isRegular(of: &root, handle), let split = Self.split(&root) else {
      handle.missingSplitFiles.insert(SplitFile.name(of: &root))
      end = UnsafeRawPointer(place) + Int(unit.end - unit.entry)
      facts = unit
      self.root = root
      return
    }
    var facts = unit
    facts.readAttributes(of: split.root)
    self.facts = facts
    self.root = split.root
    end = split.end
  }

  /// The first entry and the end of the unit that libdw found for a skeleton.
  private static func split(
    _ skeleton: inout Dwarf_Die
  ) -> (root: Dwarf_Die, end: UnsafeRawPointer)? {
    var root = Dwarf_Die()
    var next: Dwarf_Off = 0
    guard dwarf_cu_info(skeleton.cu, nil, nil, nil, &root, nil, nil, nil) == 0,
      let place = root.addr,
      dwarf_next_unit(
        dwarf_cu_getdwarf(root.cu), dwarf_dieoffset(&root) - dwarf_cuoffset(&root), &next, nil, nil,
        nil, nil, nil, nil, nil) == 0
    else { return nil }
    return (root, UnsafeRawPointer(place) + Int(next - dwarf_dieoffset(&root)))
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
    guard let place = root.addr else { return }
    handle.file?.release(Bytes(base: place, count: end - UnsafeRawPointer(place)))
  }

  /// The unit's entries, each once.
  var entries: EntryCursor { EntryCursor(below: root, end: end) }

  /// Calls `body` with each range of an entry's code, link-time addresses.
  func forEachRange(of entry: inout Dwarf_Die, _ body: (UInt64, UInt64) -> Void) {
    handle.forEachRange(of: &entry, body)
  }
}
