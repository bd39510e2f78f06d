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
