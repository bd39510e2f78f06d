/// Parses names of Rust functions in the form that `RustName` writes.
enum RustEntityName {
  /// Removes generic arguments, `::<...>`, so that all instances of a generic function belong to one source
  /// function. Items inside a function, such as closures, are pieces of that function.
  static func parse(_ demangled: String) -> ParsedName {
    let text = withoutArguments(demangled)
    guard let inner = text.firstRange(of: "::{") else { return ParsedName(root: text, piece: nil) }
    return ParsedName(
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
        // The `>` of `->` closes nothing.
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
