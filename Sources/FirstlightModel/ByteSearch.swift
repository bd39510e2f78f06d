extension StringProtocol {
  /// Whether a plain text occurs in this one, byte by byte. `contains` compares characters, which costs
  /// more than all else where a hundred thousand names are looked at.
  public func holds(_ needle: StaticString) -> Bool {
    needle.withUTF8Buffer { needle in
      guard let first = needle.first else { return true }
      let found = utf8.withContiguousStorageIfAvailable { text -> Bool in
        guard text.count >= needle.count else { return false }
        for start in 0...(text.count - needle.count) where text[start] == first {
          var at = 1
          while at < needle.count, text[start + at] == needle[at] { at += 1 }
          if at == needle.count { return true }
        }
        return false
      }
      return found ?? contains(String(decoding: needle, as: UTF8.self))
    }
  }
}
