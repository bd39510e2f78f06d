extension String {
  /// Whether a plain text occurs in this one, byte by byte. `contains` compares characters, which costs
  /// more than all else where a hundred thousand names are looked at.
  package func containsUTF8(_ needle: StaticString) -> Bool {
    utf8.withContiguousStorageIfAvailable { find(needle, in: $0) }
      ?? contains("\(needle)")
  }

  /// Whether this text begins with a plain one, byte by byte.
  package func begins(with beginning: StaticString) -> Bool {
    utf8.withContiguousStorageIfAvailable { $0.containsUTF8(beginning, at: 0) }
      ?? hasPrefix("\(beginning)")
  }
}

extension Substring {
  /// As of a string.
  package func containsUTF8(_ needle: StaticString) -> Bool {
    utf8.withContiguousStorageIfAvailable { find(needle, in: $0) }
      ?? contains("\(needle)")
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether a plain text lies at a place.
  @inline(__always)
  package func containsUTF8(_ text: StaticString, at place: Int) -> Bool {
    let size = text.utf8CodeUnitCount
    guard size <= count &- place else { return false }
    for at in 0..<size where self[place &+ at] != text.utf8Start[at] { return false }
    return true
  }
}

private func find(_ needle: StaticString, in text: UnsafeBufferPointer<UInt8>) -> Bool {
  needle.withUTF8Buffer { needle in
    guard let first = needle.first else { return true }
    guard text.count >= needle.count else { return false }
    for start in 0...(text.count &- needle.count) where text[start] == first {
      var at = 1
      while at < needle.count, text[start &+ at] == needle[at] { at &+= 1 }
      if at == needle.count { return true }
    }
    return false
  }
}
