import FirstlightModel

/// Takes names of Rust functions apart, as `RustName` writes them.
enum RustEntityName {
  /// Instances of a generic function are one function of the source: its arguments, `::<...>`, are left
  /// out. What is made within a function, as closures are, is a piece of it.
  static func parse(_ demangled: String) -> EntityName {
    let text = withoutArguments(demangled)
    guard let inner = text.firstRange(of: "::{") else { return EntityName(root: text, piece: nil) }
    return EntityName(
      root: String(text[..<inner.lowerBound]),
      piece: text[inner.lowerBound...].hasPrefix("::{closure") ? .closure : .thunk)
  }

  private static func withoutArguments(_ name: String) -> String {
    var bytes: [UInt8] = []
    var depth = 0
    var previous: UInt8 = 0
    for byte in name.utf8 {
      if depth > 0 {
        if byte == UInt8(ascii: "<") { depth += 1 }
        // Not that of `->`.
        if byte == UInt8(ascii: ">"), previous != UInt8(ascii: "-") { depth -= 1 }
      } else if byte == UInt8(ascii: "<"), bytes.suffix(2).elementsEqual("::".utf8) {
        bytes.removeLast(2)
        depth = 1
      } else {
        bytes.append(byte)
      }
      previous = byte
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
