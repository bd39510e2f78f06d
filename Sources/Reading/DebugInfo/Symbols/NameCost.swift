import FirstlightModel

/// What demangling a name can cost at most, as far as its letters tell.
///
/// A mangled name refers back to parts of itself, and what it refers to can do so again: each reference
/// can at worst double the text. Parts have numbers in order of their ends, and hold references to
/// earlier ones only, so that a part that is referred to n times makes the text 1 + n times as long at
/// most. Of a million names of the Swift toolchain's own binaries one in eight could become longer than
/// `plainText` by that measure, though none is longer than 20 KB.
enum NameCost: Sendable {
  /// It is not mangled, or longer than any name is.
  case nothing
  case little
  case doubtful

  /// The longest name of the toolchain's binaries has 1,897 bytes.
  static let longestName = 4096

  /// What fits any thread's stack, 512 KiB on Dispatch's: a level of the Swift demangler takes about a
  /// KiB and one letter, of the C++ demangler a third of that.
  private static let longestSwift = 256
  private static let longestItanium = 512

  /// Bytes of text that take a millisecond or two to make.
  private static let plainText = 1 << 18

  init(_ mangled: String) {
    let count = mangled.utf8.count
    // `RustName` has limits itself.
    if Demangler.isRust(mangled), count > 2, count <= Self.longestName {
      self = .little
      return
    }
    let isItanium = Demangler.isItanium(mangled)
    guard count > 2, count <= Self.longestName, isItanium || Demangler.isSwift(mangled) else {
      self = .nothing
      return
    }
    guard count <= (isItanium ? Self.longestItanium : Self.longestSwift) else {
      self = .doubtful
      return
    }
    var name = mangled
    let isPlain = name.withUTF8 { bytes in
      var references = BackReferences(length: bytes.count)
      if isItanium { references.addItanium(bytes) } else { references.addSwift(bytes) }
      return references.text <= Self.plainText
    }
    self = isPlain ? .little : .doubtful
  }
}

/// Counts how often a name refers to each part of itself; takes too many for references rather than one
/// too few.
private struct BackReferences {
  /// How long the text can become without them.
  private var length: Int
  /// By what other references multiply it.
  private var factor = 1
  /// By number of the part; the last one stands for all that are not the first.
  private var counts: InlineArray<64, Int> = .init(repeating: 0)
  /// Which of them are not 0.
  private var used: UInt64 = 0

  init(length: Int) { self.length = length }

  /// The longest text that the references allow; saturates.
  var text: Int {
    var text = length.multipliedReportingOverflow(by: factor)
    var left = used
    while left != 0, !text.overflow {
      text = text.partialValue.multipliedReportingOverflow(
        by: 1 + counts[left.trailingZeroBitCount])
      left &= left - 1
    }
    return text.overflow ? .max : text.partialValue
  }

  private mutating func add(_ part: Int, times: Int = 1) {
    guard part < 63 else { return multiply(by: 1 + times) }
    counts[part] += times
    used |= 1 << UInt64(part)
  }

  private mutating func multiply(by number: Int) {
    let (product, isOver) = factor.multipliedReportingOverflow(by: number)
    factor = isOver ? .max : product
  }

  /// `A`, then letters, each of them a part and the last a capital, or `_` for those from the 27th on;
  /// numbers before letters repeat them (Swift, docs/ABI/Mangling.rst, "Substitutions"). `S` and a number
  /// repeat a standard type.
  mutating func addSwift(_ name: UnsafeBufferPointer<UInt8>) {
    for start in name.indices {
      if name[start] == UInt8(ascii: "S") {
        var place = start + 1
        length += 64 * Self.number(name, &place)
      }
      guard name[start] == UInt8(ascii: "A") else { continue }
      var place = start + 1
      while place < name.count {
        let number = Self.number(name, &place)
        guard place < name.count else { break }
        let letter = name[place]
        place += 1
        switch letter {
        case UInt8(ascii: "a")...UInt8(ascii: "z"):
          add(Int(letter - UInt8(ascii: "a")), times: max(1, number))
          continue
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
          add(Int(letter - UInt8(ascii: "A")), times: max(1, number))
        case UInt8(ascii: "_"): add(26 + number)
        default: break
        }
        break
      }
    }
  }

  /// `S`, a number to the base of 36, `_`: a part. `T`, a number, `_`: a template's argument, of which
  /// any may hold others. `Dp` and `sp` repeat a pattern for each of several arguments (Itanium C++ ABI,
  /// section 5.1).
  mutating func addItanium(_ name: UnsafeBufferPointer<UInt8>) {
    for start in name.indices {
      switch name[start] {
      case UInt8(ascii: "S"), UInt8(ascii: "T"):
        var place = start + 1
        var number = 0
        while place < name.count, let digit = Self.digit(name[place]), place < start + 5 {
          number = number * 36 + digit + 1
          place += 1
        }
        guard place < name.count, name[place] == UInt8(ascii: "_") else { continue }
        if name[start] == UInt8(ascii: "S") { add(number) } else { multiply(by: 2) }
      case UInt8(ascii: "p"):
        let isPack =
          start > 0
          && (name[start - 1] == UInt8(ascii: "D") || name[start - 1] == UInt8(ascii: "s"))
        if isPack { multiply(by: 64) }
      default: break
      }
    }
  }

  /// The decimal number at a place, which moves behind it; 0 if there is none. Saturates.
  private static func number(_ name: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Int {
    var number = 0
    while place < name.count, (48...57).contains(name[place]) {
      number = min(number * 10 + Int(name[place] - 48), 1 << 20)
      place += 1
    }
    return number
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }
}
