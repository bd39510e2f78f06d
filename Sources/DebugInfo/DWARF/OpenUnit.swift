import CElfutils

/// A unit that a thread works on: its entries, lines and files, by the thread's own handle.
struct OpenUnit {
  let handle: DWARFHandle
  /// Its place in `DWARFIndex.units`.
  let index: Int
  /// Its first entry.
  private(set) var root: Dwarf_Die
  /// One past its last byte.
  let end: UnsafeRawPointer
  let lines: UnitLines

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
    self.root = root
  }

  /// Gives back the memory of its entries; they are read again where something refers to them.
  func releaseEntries() {
    guard let place = root.addr else { return }
    handle.file?.release(Bytes(base: place, count: end - UnsafeRawPointer(place)))
  }

  /// Its entries, each once.
  var entries: EntryCursor { EntryCursor(below: root, end: end) }
}
