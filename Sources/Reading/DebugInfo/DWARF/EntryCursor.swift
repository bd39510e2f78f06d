import CElfutils
import Glibc

/// Visits the entries below another one, each once, in the order of the file.
struct EntryCursor {
  /// The current entry: at first the root, which is not part of the walk.
  private(set) var entry: Dwarf_Die
  /// Number of entries around `entry`, up to the root of the walk.
  private(set) var depth = 0
  /// The entries that enclose `entry`.
  private var parents: [Dwarf_Die] = []
  private let end: UnsafeRawPointer
  /// - Parameter end: one past the last byte of the unit.
  init(below root: Dwarf_Die, end: UnsafeRawPointer) {
    entry = root
    self.end = end
  }

  /// The tag of `entry`, read in place: libdw caches the abbreviation in the entry.
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
        return move(to: child)
      }
      if result < 0 { return false }
    }
    var after = Dwarf_Die()
    var result = depth > 0 ? dwarf_siblingof(&entry, &after) : -1
    while result == 1 {
      guard let parent = parents.popLast(), depth > 1 else { return false }
      depth -= 1
      if let terminator = terminator(after) {
        // The parent's list continues after this terminator.
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

  /// The end of the list whose last entry this is. When `dwarf_siblingof` finds no sibling, libdw
  /// 0.188 leaves the address of the terminating zero in its result, which saves another walk through
  /// all enclosed entries. The documentation does not promise this address; nil if it is missing.
  private func terminator(_ after: Dwarf_Die) -> UnsafeRawPointer? {
    guard let place = after.addr.map({ UnsafeRawPointer($0) }), place < end, place > entry.addr,
      place.load(as: UInt8.self) == 0
    else { return nil }
    return place
  }

  /// Never moves backwards: references of a damaged file must not form a cycle.
  private mutating func move(to next: Dwarf_Die) -> Bool {
    guard let place = next.addr, let here = entry.addr, place > here || depth == 0 else {
      return false
    }
    entry = next
    return true
  }
}

/// Numbers the names in a sweep by the address of libdw's text: a name that several entries share
/// counts once.
struct EntryNames: @unchecked Sendable {
  // These texts belong to handles that the index keeps open.
  private(set) var texts: [HashedText] = []
  private var numbers: [UnsafePointer<CChar>: Int32] = [:]

  /// The number of a name; -1 if there is none.
  mutating func number(_ text: UnsafePointer<CChar>?) -> Int32 {
    guard let text else { return -1 }
    if let number = numbers[text] { return number }
    let number = Int32(texts.count)
    texts.append(HashedText(text, count: strlen(text)))
    numbers[text] = number
    return number
  }
}
