import CElfutils
import Glibc

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
