import CElfutils

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
