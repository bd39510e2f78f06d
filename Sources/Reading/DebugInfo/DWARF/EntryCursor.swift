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

/// The code addresses and the call place of a function or inlined call, from all attributes in one
/// pass. Reads no text, since libdw does not validate text here.
struct EntryValues {
  private var low: UInt64 = 0
  private var high: UInt64 = 0
  private var hasLow = false
  private var hasHigh = false
  private var highIsSize = false
  /// Whether the entry has a list of ranges.
  private(set) var hasRanges = false
  /// Whether the entry claims to list all calls in its code (`DW_AT_call_all_calls`).
  private(set) var describesCalls = false
  /// Whether the compiler inlined a call of the function (`DW_AT_inline`).
  private(set) var isInlined = false
  /// Whether the entry only declares a function of this or another unit.
  private(set) var isDeclaration = false
  /// Whether the entry is an instance of a function that another entry describes.
  private(set) var hasOrigin = false
  /// Whether the entry has a start address or a list of ranges.
  var hasCode: Bool { hasLow || hasRanges }
  private(set) var callFile: UInt32 = 0
  private(set) var callLine: UInt32 = 0
  private(set) var callColumn: UInt32 = 0

  init(_ entry: inout Dwarf_Die) {
    withUnsafeMutablePointer(to: &self) { values in
      _ = dwarf_getattrs(
        &entry,
        { attribute, context in
          context!.assumingMemoryBound(to: EntryValues.self).pointee.read(attribute!)
          return CInt(DWARF_CB_OK)
        }, values, 0)
    }
  }

  /// The code of an entry with a single range.
  var range: (start: UInt64, end: UInt64)? {
    guard hasLow, hasHigh else { return nil }
    return (low, highIsSize ? low &+ high : high)
  }

  private mutating func read(_ attribute: UnsafeMutablePointer<Dwarf_Attribute>) {
    switch dwarf_whatattr(attribute) {
    case Attribute.lowPC:
      hasLow = dwarf_formaddr(attribute, &low) == 0
    case Attribute.highPC:
      // A constant is the size; any other form is the end address.
      hasHigh = dwarf_formaddr(attribute, &high) == 0
      if !hasHigh {
        hasHigh = dwarf_formudata(attribute, &high) == 0
        highIsSize = hasHigh
      }
    case Attribute.ranges: hasRanges = true
    case Attribute.allCalls, Attribute.gnuAllCalls: describesCalls = true
    case Attribute.inlining:
      let value = Self.number(attribute)
      isInlined = value == DW_INL_inlined || value == DW_INL_declared_inlined
    case Attribute.declaration: isDeclaration = true
    case Attribute.abstractOrigin: hasOrigin = true
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
