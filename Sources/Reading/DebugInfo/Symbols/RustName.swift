import FirstlightModel

/// Demangles names of Rust's current mangling, which begin with `_R` (Rust RFC 2603; the rustc
/// book, "v0 Symbol Format"), into the text of rustc-demangle: without hashes of crates.
///
/// Names are untrusted, and their parts refer back to each other, so text, depth and work have limits.
struct RustName {
  /// Nil if the name has another mangling, or expands too much.
  static func demangle(_ mangled: String) -> String? {
    guard mangled.utf8.starts(with: "_R".utf8) else { return nil }
    var bytes = Array(mangled.utf8.dropFirst(2))
    // The suffix from LLVM and linkers.
    var suffix = ""
    if let end = bytes.firstIndex(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "$") }) {
      suffix = String(decoding: bytes[end...], as: UTF8.self)
      bytes.removeSubrange(end...)
    }
    guard bytes.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: "_") }),
      let first = bytes.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
    else { return nil }
    var name = RustName(bytes: bytes)
    do {
      try name.path(inValue: true)
      // The crate that instantiated the function is not printed.
      if name.place < bytes.count {
        let text = name.text
        try name.path(inValue: false)
        name.text = text
      }
    } catch {
      return nil
    }
    guard name.place == bytes.count else { return nil }
    let isClone = suffix.begins(with: ".llvm.") || suffix.isEmpty
    return String(decoding: name.text, as: UTF8.self) + (isClone ? "" : " (\(suffix))")
  }

  private struct Malformed: Error {}

  private static let longestText = 1 << 16
  private static let deepest = 128
  private static let mostSteps = 1 << 14

  private let bytes: [UInt8]
  private var place = 0
  private var text: [UInt8] = []
  private var depth = 0
  private var steps = 0
  /// Number of lifetimes from the enclosing binders.
  private var lifetimes = 0

  private init(bytes: [UInt8]) { self.bytes = bytes }

  // MARK: Paths

  /// - Parameter inValue: whether `::` precedes generic arguments.
  private mutating func path(inValue: Bool) throws {
    try enter()
    defer { depth -= 1 }
    switch try next() {
    case UInt8(ascii: "C"):
      _ = try disambiguator()
      write(try identifier())
    case UInt8(ascii: "M"):
      try implementation()
      write("<")
      try type()
      write(">")
    case UInt8(ascii: "X"):
      try implementation()
      try qualified()
    case UInt8(ascii: "Y"): try qualified()
    case UInt8(ascii: "N"): try nested(inValue: inValue)
    case UInt8(ascii: "I"):
      try path(inValue: inValue)
      write(inValue ? "::<" : "<")
      try list { try $0.genericArgument() }
      write(">")
    case UInt8(ascii: "B"): try back { try $0.path(inValue: inValue) }
    default: throw Malformed()
    }
  }

  /// `<T as Trait>`
  private mutating func qualified() throws {
    write("<")
    try type()
    write(" as ")
    try path(inValue: false)
    write(">")
  }

  /// Skips the location of an `impl`, which is not printed.
  private mutating func implementation() throws {
    _ = try disambiguator()
    let before = text
    try path(inValue: false)
    text = before
  }

  private mutating func nested(inValue: Bool) throws {
    let space = try next()
    guard Self.isLetter(space) else { throw Malformed() }
    try path(inValue: inValue)
    let number = try disambiguator()
    let name = try identifier()
    guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(space) else {
      if !name.isEmpty { write("::" + name) }
      return
    }
    let kind =
      switch space {
      case UInt8(ascii: "C"): "closure"
      case UInt8(ascii: "S"): "shim"
      default: String(UnicodeScalar(space))
      }
    write("::{\(kind)\(name.isEmpty ? "" : ":" + name)#\(number)}")
  }

  private mutating func genericArgument() throws {
    if skip("L") {
      try lifetime(try base62())
    } else if skip("K") {
      try constant()
    } else {
      try type()
    }
  }

  // MARK: Types

  private mutating func type() throws {
    try enter()
    defer { depth -= 1 }
    let tag = try next()
    if let basic = Self.basic[tag] { return write(basic) }
    switch tag {
    case UInt8(ascii: "A"):
      write("[")
      try type()
      write("; ")
      try constant()
      write("]")
    case UInt8(ascii: "S"):
      write("[")
      try type()
      write("]")
    case UInt8(ascii: "T"):
      write("(")
      let count = try list { try $0.type() }
      write(count == 1 ? ",)" : ")")
    case UInt8(ascii: "R"), UInt8(ascii: "Q"):
      write("&")
      if skip("L") {
        let number = try base62()
        if number != 0 {
          try lifetime(number)
          write(" ")
        }
      }
      if tag == UInt8(ascii: "Q") { write("mut ") }
      try type()
    case UInt8(ascii: "P"):
      write("*const ")
      try type()
    case UInt8(ascii: "O"):
      write("*mut ")
      try type()
    case UInt8(ascii: "F"): try bound { try $0.function() }
    case UInt8(ascii: "D"): try dynamic()
    case UInt8(ascii: "B"): try back { try $0.type() }
    default:
      place -= 1
      try path(inValue: false)
    }
  }

  private mutating func function() throws {
    if skip("U") { write("unsafe ") }
    if skip("K") {
      let name = skip("C") ? "C" : try identifier().replacing(utf8: "_", with: "-")
      write("extern \"\(name)\" ")
    }
    write("fn(")
    try list { try $0.type() }
    write(")")
    if skip("u") { return }
    write(" -> ")
    try type()
  }

  private mutating func dynamic() throws {
    write("dyn ")
    try bound { name in
      var isFirst = true
      while !name.skip("E") {
        if !isFirst { name.write(" + ") }
        isFirst = false
        try name.dynamicTrait()
      }
    }
    guard skip("L") else { throw Malformed() }
    let number = try base62()
    if number != 0 {
      write(" + ")
      try lifetime(number)
    }
  }

  /// A trait, whose generic arguments and associated types share one list.
  private mutating func dynamicTrait() throws {
    try path(inValue: false)
    var isOpen = false
    while skip("p") {
      if !isOpen, text.last == UInt8(ascii: ">") {
        text.removeLast()
        write(", ")
      } else {
        write(isOpen ? ", " : "<")
      }
      isOpen = true
      write(try identifier() + " = ")
      try type()
    }
    if isOpen { write(">") }
  }

  // MARK: Constants

  private mutating func constant() throws {
    try enter()
    defer { depth -= 1 }
    let tag = try next()
    switch tag {
    case UInt8(ascii: "p"): write("_")
    case UInt8(ascii: "B"): try back { try $0.constant() }
    case UInt8(ascii: "b"):
      switch try hexadecimal() {
      case "0": write("false")
      case "1": write("true")
      default: throw Malformed()
      }
    case UInt8(ascii: "c"):
      guard let value = UInt32(try hexadecimal(), radix: 16), let scalar = UnicodeScalar(value)
      else { throw Malformed() }
      write("'" + scalar.escaped(asASCII: false) + "'")
    default:
      guard Self.integers.contains(tag) else { throw Malformed() }
      if skip("n") { write("-") }
      let digits = try hexadecimal()
      write(UInt64(digits, radix: 16).map(String.init) ?? "0x" + digits)
    }
  }

  /// Digits up to a `_`, without leading zeros.
  private mutating func hexadecimal() throws -> String {
    var digits = ""
    while true {
      let byte = try next()
      if byte == UInt8(ascii: "_") { break }
      guard Self.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) else {
        throw Malformed()
      }
      if byte != UInt8(ascii: "0") || !digits.isEmpty {
        digits.append(Character(UnicodeScalar(byte)))
      }
    }
    return digits.isEmpty ? "0" : digits
  }

  // MARK: Lifetimes

  /// Writes the lifetimes of a binder: `for<'a, 'b> `.
  private mutating func bound(_ body: (inout RustName) throws -> Void) throws {
    let outer = lifetimes
    defer { lifetimes = outer }
    if skip("G") {
      let count = try base62() + 1
      guard count <= 64 else { throw Malformed() }
      write("for<")
      for index in 0..<count {
        if index > 0 { write(", ") }
        lifetimes += 1
        try lifetime(1)
      }
      write("> ")
    }
    try body(&self)
  }

  /// - Parameter number: counted from the innermost, from 1; 0 for a lifetime without name.
  private mutating func lifetime(_ number: Int) throws {
    guard number > 0 else { return write("'_") }
    guard number <= lifetimes else { throw Malformed() }
    let index = lifetimes - number
    write("'" + (index < 26 ? String(UnicodeScalar(UInt8(97 + index))) : "_\(index)"))
  }

  // MARK: Parts

  /// The number that distinguishes items with the same name; 0 if there is none.
  private mutating func disambiguator() throws -> Int { skip("s") ? try base62() + 1 : 0 }

  private mutating func identifier() throws -> String {
    let isPunycode = skip("u")
    guard place < bytes.count, Self.isDigit(bytes[place]) else { throw Malformed() }
    var count = 0
    if !skip("0") {
      while place < bytes.count, Self.isDigit(bytes[place]), count <= bytes.count {
        count = count * 10 + Int(bytes[place] - 48)
        place += 1
      }
    }
    _ = skip("_")
    guard count <= bytes.count - place else { throw Malformed() }
    let part = bytes[place..<place + count]
    place += count
    guard isPunycode else { return String(decoding: part, as: UTF8.self) }
    guard let decoded = Punycode.decode(part) else { throw Malformed() }
    return decoded
  }

  /// `_` is 0, `0_` is 1 and so on. Hashes of crates may have 64 bits and more: these saturate.
  private mutating func base62() throws -> Int {
    if skip("_") { return 0 }
    var value = 0
    while true {
      let byte = try next()
      let digit: Int
      switch byte {
      case UInt8(ascii: "_"): return value + 1
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = Int(byte) - 48
      case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = Int(byte) - 97 + 10
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = Int(byte) - 65 + 36
      default: throw Malformed()
      }
      value = value < 1 << 48 ? value * 62 + digit : 1 << 60
    }
  }

  /// Reads the part at an earlier position.
  private mutating func back(_ body: (inout RustName) throws -> Void) throws {
    let here = place - 1
    let target = try base62()
    guard target < here else { throw Malformed() }
    let next = place
    place = target
    try body(&self)
    place = next
  }

  /// Reads parts up to an `E`, separated by commas.
  @discardableResult
  private mutating func list(_ part: (inout RustName) throws -> Void) throws -> Int {
    var count = 0
    while !skip("E") {
      if count > 0 { write(", ") }
      try part(&self)
      count += 1
    }
    return count
  }

  private mutating func enter() throws {
    depth += 1
    steps += 1
    guard depth <= Self.deepest, steps <= Self.mostSteps, text.count <= Self.longestText else {
      throw Malformed()
    }
  }

  private mutating func next() throws -> UInt8 {
    guard place < bytes.count else { throw Malformed() }
    defer { place += 1 }
    return bytes[place]
  }

  private mutating func skip(_ letter: UnicodeScalar) -> Bool {
    guard place < bytes.count, UnicodeScalar(bytes[place]) == letter else { return false }
    place += 1
    return true
  }

  private mutating func write(_ part: String) { text.append(contentsOf: part.utf8) }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  private static let integers = Set("ahsilxjtmynodv".utf8).subtracting("dv".utf8)

  private static let basic: [UInt8: String] = [
    UInt8(ascii: "a"): "i8", UInt8(ascii: "b"): "bool", UInt8(ascii: "c"): "char",
    UInt8(ascii: "d"): "f64", UInt8(ascii: "e"): "str", UInt8(ascii: "f"): "f32",
    UInt8(ascii: "h"): "u8", UInt8(ascii: "i"): "isize", UInt8(ascii: "j"): "usize",
    UInt8(ascii: "l"): "i32", UInt8(ascii: "m"): "u32", UInt8(ascii: "n"): "i128",
    UInt8(ascii: "o"): "u128", UInt8(ascii: "p"): "_", UInt8(ascii: "s"): "i16",
    UInt8(ascii: "t"): "u16", UInt8(ascii: "u"): "()", UInt8(ascii: "v"): "...",
    UInt8(ascii: "x"): "i64", UInt8(ascii: "y"): "u64", UInt8(ascii: "z"): "!",
  ]
}
