/// Parses names of Rust functions in the form that `RustName` writes.
enum RustEntityName {
  /// Removes generic arguments, so that all instances of a generic function belong to one source function, and the
  /// type for which a trait's default method was compiled. Items inside a function, such as closures, are pieces of
  /// that function.
  ///
  /// - Parameter name: the linker's.
  static func parse(name: String, demangled: String) -> FunctionIdentity {
    let text = plain(demangled[...], isDefaultMethod: isDefaultMethod(name))
    guard let inner = text.firstRange(ofUTF8: "::{") else {
      return FunctionIdentity(name: name, entity: text)
    }
    return FunctionIdentity(
      name: name, entity: String(text[..<inner.lowerBound]),
      piece: text[inner.lowerBound...].begins(with: "::{closure") ? .closure : .thunk)
  }

  private static func plain(_ name: Substring, isDefaultMethod: Bool = false) -> String {
    guard let parts = qualified(name) else { return withoutArguments(name) }
    let rest = withoutArguments(parts.rest)
    guard let trait = parts.trait.map(withoutArguments) else {
      return "<\(plain(parts.type))>\(rest)"
    }
    return isDefaultMethod ? trait + rest : "<\(plain(parts.type)) as \(trait)>\(rest)"
  }

  /// What all methods of an `impl` for several types have in common: `<u8 as a::T>::m` is `a::T::m`. Their lines
  /// distinguish the methods of several `impl`. Nil if the entity is no method.
  static func template(_ entity: String) -> String? {
    qualified(entity[...]).map { String($0.trait ?? $0.type) + $0.rest }
  }

  /// Whether a path leads through a trait's definition, not through an `impl`: `_RNvY...` (Rust RFC 2603).
  private static func isDefaultMethod(_ name: String) -> Bool {
    var path = name.utf8.dropFirst(2)
    while let first = path.first, first == UInt8(ascii: "N") || first == UInt8(ascii: "I") {
      path = path.dropFirst(first == UInt8(ascii: "N") ? 2 : 1)
    }
    return path.first == UInt8(ascii: "Y")
  }

  /// The parts of `<type as trait>::rest` and of `<type>::rest`.
  private static func qualified(
    _ text: Substring
  ) -> (type: Substring, trait: Substring?, rest: Substring)? {
    guard text.utf8.first == UInt8(ascii: "<") else { return nil }
    let bytes = text.utf8
    let first = bytes.index(after: bytes.startIndex)
    var depth = 1
    var middle: String.Index?
    var (place, previous) = (first, UInt8(0))
    while place < bytes.endIndex {
      let byte = bytes[place]
      if byte == UInt8(ascii: "<") { depth += 1 }
      // The `>` of `->` closes nothing.
      if byte == UInt8(ascii: ">"), previous != UInt8(ascii: "-") { depth -= 1 }
      if depth == 0 { break }
      if depth == 1, middle == nil, bytes[place...].starts(with: " as ".utf8) { middle = place }
      (place, previous) = (bytes.index(after: place), byte)
    }
    guard place < bytes.endIndex else { return nil }
    let rest = text[bytes.index(after: place)...]
    guard let middle else { return (text[first..<place], nil, rest) }
    return (text[first..<middle], text[bytes.index(middle, offsetBy: 4)..<place], rest)
  }

  /// The text without what is in angle brackets, and without the `::` before them.
  private static func withoutArguments(_ name: Substring) -> String {
    var bytes: [UInt8] = []
    var depth = 0
    var previous: UInt8 = 0
    for byte in name.utf8 {
      if byte == UInt8(ascii: "<") {
        if depth == 0, bytes.suffix(2).elementsEqual("::".utf8) { bytes.removeLast(2) }
        depth += 1
      } else if byte == UInt8(ascii: ">"), previous != UInt8(ascii: "-") {
        depth -= 1
      } else if depth == 0 {
        bytes.append(byte)
      }
      previous = byte
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
