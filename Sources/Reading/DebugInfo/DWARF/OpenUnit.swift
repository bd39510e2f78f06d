import CElfutils

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
