import CElfutils

/// Goes through the entries below one, each once, in the order of the file.
struct EntryCursor {
  /// The entry it is at: first the one it started from, which is no part of the walk.
  private(set) var entry: Dwarf_Die
  /// How many entries enclose `entry`, counted from the one the walk started from.
  private(set) var depth = 0
  /// The entries that enclose `entry`.
  private var parents: [Dwarf_Die] = []
  private let end: UnsafeRawPointer
  /// Whether the walk ended because entries nest too deeply.
  var isTooDeep: Bool { depth > DebugInfoLimits.depth }

  /// - Parameter end: one past the last byte of the unit.
  init(below root: Dwarf_Die, end: UnsafeRawPointer) {
    entry = root
    self.end = end
  }

  /// The tag of `entry`. Asked in place, since libdw notes in an entry which abbreviation it has.
  var tag: CInt {
    mutating get { dwarf_tag(&entry) }
  }

  /// Moves to the next entry; false at the end, or where the entries are damaged.
  mutating func next() -> Bool {
    if dwarf_haschildren(&entry) > 0 {
      var child = Dwarf_Die()
      let result = dwarf_child(&entry, &child)
      if result == 0 {
        parents.append(entry)
        depth += 1
        return !isTooDeep && move(to: child)
      }
      if result < 0 { return false }
    }
    var after = Dwarf_Die()
    var result = depth > 0 ? dwarf_siblingof(&entry, &after) : -1
    while result == 1 {
      guard let parent = parents.popLast(), depth > 1 else { return false }
      depth -= 1
      if let terminator = terminator(after) {
        // What follows the list's end belongs to the list of the parent.
        let place = terminator + 1
        guard place < end else { return false }
        if place.load(as: UInt8.self) == 0 {
          after.addr = UnsafeMutableRawPointer(mutating: place)
        } else {
          after = Dwarf_Die()
          after.addr = UnsafeMutableRawPointer(mutating: place)
          after.cu = entry.cu
          result = 0
        }
      } else {
        entry = parent
        after = Dwarf_Die()
        result = dwarf_siblingof(&entry, &after)
      }
    }
    return result == 0 && move(to: after)
  }

  /// Where the list ends that an entry was the last of. libdw 0.188 leaves the place of the terminating
  /// zero in the result of `dwarf_siblingof` that finds no sibling, which spares going through all entries
  /// again for each that encloses them. Its documentation does not promise that; nil if it is not so.
  private func terminator(_ after: Dwarf_Die) -> UnsafeRawPointer? {
    guard let place = after.addr.map({ UnsafeRawPointer($0) }), place < end, place > entry.addr,
      place.load(as: UInt8.self) == 0
    else { return nil }
    return place
  }

  /// Never backwards: a damaged file's references must not lead round in circles.
  private mutating func move(to next: Dwarf_Die) -> Bool {
    guard let place = next.addr, let here = entry.addr, place > here || depth == 0 else {
      return false
    }
    entry = next
    return true
  }
}
