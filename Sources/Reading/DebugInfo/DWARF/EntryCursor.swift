import CElfutils
import Glibc

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

/// Numbers the names that a sweep meets, by the address of libdw's text: a name that several entries refer to
/// counts once.
struct EntryNames: @unchecked Sendable {
  // Texts of the handles that the index keeps open.
  private(set) var texts: [HashedText] = []
  private var numbers: [UnsafePointer<CChar>: Int32] = [:]
  /// How much text the names may still have: those of a hostile file can be the ends of one long text.
  private var budget: Int
  /// Whether names were left out.
  private(set) var isIncomplete = false

  init(budget: Int) { self.budget = budget }

  /// The number of a name; -1 if there is none, or if it is left out.
  mutating func number(_ text: UnsafePointer<CChar>?) -> Int32 {
    guard let text else { return -1 }
    if let number = numbers[text] { return number }
    let count = strnlen(text, budget + 1)
    guard count <= budget else {
      isIncomplete = true
      return -1
    }
    budget -= count
    let number = Int32(texts.count)
    texts.append(HashedText(text, count: count))
    numbers[text] = number
    return number
  }
}

/// Where the code of a function or inlined call is, and where it was called from: its attributes, read in
/// one go. Reads no text, which libdw does not check at that point.
struct EntryValues {
  private var low: UInt64 = 0
  private var high: UInt64 = 0
  private var hasLow = false
  private var hasHigh = false
  private var highIsSize = false
  /// Whether the entry has a list of ranges.
  private(set) var hasRanges = false
  /// Whether the entry says that it lists all calls in its code (`DW_AT_call_all_calls`).
  private(set) var describesCalls = false
  /// Whether the compiler says that it inlined some call of the function (`DW_AT_inline`).
  private(set) var isInlined = false
  /// Whether the entry says where its code starts, or has a list of ranges.
  var hasCode: Bool { hasLow || hasRanges }
  private(set) var callFile: UInt32 = 0
  private(set) var callLine: UInt32 = 0
  private(set) var callColumn: UInt32 = 0

  /// Where the code starts and ends, if by attributes that libdw can't read: see `SplitUnit`.
  private var lowIndex: Dwarf_Attribute?
  private var highIndex: Dwarf_Attribute?

  /// - Parameter split: what the entry is in if it is in a file of its own.
  init(_ entry: inout Dwarf_Die, in split: SplitUnit?) {
    withUnsafeMutablePointer(to: &self) { values in
      _ = dwarf_getattrs(
        &entry,
        { attribute, context in
          context!.assumingMemoryBound(to: EntryValues.self).pointee.read(attribute!)
          return CInt(DWARF_CB_OK)
        }, values, 0)
    }
    guard let split else { return }
    if let address = lowIndex.flatMap(split.address) { (low, hasLow) = (address, true) }
    if let address = highIndex.flatMap(split.address) { (high, hasHigh) = (address, true) }
  }

  /// The code of an entry that has one piece of it.
  var range: (start: UInt64, end: UInt64)? {
    guard hasLow, hasHigh else { return nil }
    return (low, highIsSize ? low &+ high : high)
  }

  private mutating func read(_ attribute: UnsafeMutablePointer<Dwarf_Attribute>) {
    switch dwarf_whatattr(attribute) {
    case Attribute.lowPC:
      hasLow = dwarf_formaddr(attribute, &low) == 0
      if !hasLow { lowIndex = attribute.pointee }
    case Attribute.highPC:
      // A constant is the size; anything else is the end itself.
      hasHigh = dwarf_formaddr(attribute, &high) == 0
      if !hasHigh {
        hasHigh = dwarf_formudata(attribute, &high) == 0
        highIsSize = hasHigh
        if !hasHigh { highIndex = attribute.pointee }
      }
    case Attribute.ranges: hasRanges = true
    case Attribute.allCalls, Attribute.gnuAllCalls: describesCalls = true
    case Attribute.inlining:
      let value = Self.number(attribute)
      isInlined = value == DW_INL_inlined || value == DW_INL_declared_inlined
    case Attribute.callFile: callFile = Self.number(attribute)
    case Attribute.callLine: callLine = Self.number(attribute)
    case Attribute.callColumn: callColumn = Self.number(attribute)
    default: break
    }
  }

  private static func number(_ attribute: UnsafeMutablePointer<Dwarf_Attribute>) -> UInt32 {
    var value: Dwarf_Word = 0
    return dwarf_formudata(attribute, &value) == 0 ? UInt32(clamping: value) : 0
  }
}
