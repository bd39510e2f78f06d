/// A name that is parsed from its front.
struct NameScanner {
  private let bytes: [UInt8]
  private(set) var start = 0
  var end: Int

  /// Whether the whole name contains `__`, ` :` or ` w`. Most names lack them, so parsers can skip the
  /// search for longer texts that begin with them.
  let holdsUnderscores: Bool
  let holdsColon: Bool
  let holdsSuffix: Bool

  init(_ text: String) {
    bytes = Array(text.utf8)
    end = bytes.count
    var (underscores, colon, suffix) = (false, false, false)
    bytes.withUnsafeBufferPointer { bytes in
      var previous: UInt8 = 0
      for byte in bytes {
        switch (previous, byte) {
        case (UInt8(ascii: "_"), UInt8(ascii: "_")): underscores = true
        case (UInt8(ascii: " "), UInt8(ascii: ":")): colon = true
        case (UInt8(ascii: " "), UInt8(ascii: "w")): suffix = true
        default: break
        }
        previous = byte
      }
    }
    (holdsUnderscores, holdsColon, holdsSuffix) = (underscores, colon, suffix)
  }

  /// Whether it begins with a capital letter, as modules' names mostly do.
  var startsWithCapital: Bool {
    start < end && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[start])
  }

  var text: String { String(decoding: bytes[start..<end], as: UTF8.self) }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  func starts(with prefix: StaticString, at place: Int? = nil) -> Bool {
    let place = place ?? start
    let count = prefix.utf8CodeUnitCount
    guard count <= end - place else { return false }
    return prefix.withUTF8Buffer { prefix in
      for index in 0..<count where bytes[place + index] != prefix[index] { return false }
      return true
    }
  }

  mutating func skip(_ prefix: StaticString) -> Bool {
    guard starts(with: prefix) else { return false }
    start += prefix.utf8CodeUnitCount
    return true
  }

  mutating func move(to place: Int) { start = place }

  mutating func skipDigits() {
    while start < end, (48...57).contains(bytes[start]) { start += 1 }
  }

  /// The first place of a text outside all parentheses.
  func find(_ needle: StaticString) -> Int? {
    let first = needle.withUTF8Buffer { $0[0] }
    var depth = 0
    return bytes.withUnsafeBufferPointer { bytes in
      for place in start..<end {
        let byte = bytes[place]
        if depth == 0, byte == first, starts(with: needle, at: place) { return place }
        if byte == UInt8(ascii: "(") { depth += 1 }
        if byte == UInt8(ascii: ")") { depth -= 1 }
      }
      return nil
    }
  }

  /// The place after the `>` that closes the `<` at `place`.
  func endOfBrackets(at place: Int) -> Int? {
    var depth = 0
    var place = place
    while place < end {
      switch bytes[place] {
      case UInt8(ascii: "<"): depth += 1
      case UInt8(ascii: ">"):
        depth -= 1
        if depth == 0 { return place + 1 }
      case UInt8(ascii: "-") where place + 1 < end && bytes[place + 1] == UInt8(ascii: ">"):
        place += 1
      // An operator's name is no bracket.
      case UInt8(ascii: "."):
        while place + 1 < end, Self.isOperator(bytes[place + 1]) { place += 1 }
      default: break
      }
      place += 1
    }
    return nil
  }

  /// The place after the `)` that closes the `(` at `place`.
  func endOfParentheses(at place: Int) -> Int? {
    var depth = 0
    for place in place..<end {
      if bytes[place] == UInt8(ascii: "(") { depth += 1 }
      if bytes[place] == UInt8(ascii: ")") { depth -= 1 }
      if depth == 0 { return place + 1 }
    }
    return nil
  }

  subscript(place: Int) -> UInt8 { bytes[place] }

  static func isIdentifier(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private static func isOperator(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "!"), UInt8(ascii: "*"), UInt8(ascii: "%"), UInt8(ascii: "<"),
      UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "|"), UInt8(ascii: "^"),
      UInt8(ascii: "~"), UInt8(ascii: "?"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
