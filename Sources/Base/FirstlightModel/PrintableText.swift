/// Makes foreign text safe to show to the user.
package enum PrintableText {
  /// Replaces characters that end a line, move a terminal's cursor or change the writing direction
  /// by their escapes in source code: `\n`, `\x1b`, `\u{202e}`.
  package static func of(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x0a: result += "\\n"
      case 0x0d: result += "\\r"
      case 0x09: result += "\\t"
      case 0..<0x20, 0x7f:
        let digits = String(scalar.value, radix: 16)
        result += "\\x" + (digits.count == 1 ? "0" : "") + digits
      // Control characters of ISO 6429, ends of lines and directions of Unicode.
      case 0x80..<0xa0, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

/// The last component of a path.
package enum BaseName {
  /// A path without a component (empty, or only slashes) is returned unchanged.
  package static func of(_ path: some StringProtocol) -> String {
    var text = String(path)
    return text.withUTF8 { bytes in
      let slash = UInt8(ascii: "/")
      var end = bytes.count
      while end > 0, bytes[end - 1] == slash { end -= 1 }
      guard end > 0 else { return String(path) }
      var start = end
      while start > 0, bytes[start - 1] != slash { start -= 1 }
      // Shares the memory of a path that is a name.
      if start == 0, end == bytes.count { return String(path) }
      return String(decoding: bytes[start..<end], as: UTF8.self)
    }
  }
}
