extension String {
  /// Whether the ASCII text `needle` occurs in this string, byte by byte. `contains` compares
  /// characters, which dominates the cost for a hundred thousand names.
  package func containsUTF8(_ needle: StaticString) -> Bool {
    utf8.withContiguousStorageIfAvailable { find(needle, in: $0) }
      ?? contains("\(needle)")
  }

  /// Whether the string begins with an ASCII text, byte by byte.
  package func begins(with beginning: StaticString) -> Bool {
    utf8.withContiguousStorageIfAvailable { $0.containsUTF8(beginning, at: 0) }
      ?? hasPrefix("\(beginning)")
  }
}

extension StringProtocol {
  /// The lines of source code, as compilers number them. Form feeds and other separators, which `isNewline`
  /// includes, do not end a line.
  package var sourceLines: [SubSequence] {
    split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
  }
}

extension Substring {
  /// Like the same function of a string.
  package func containsUTF8(_ needle: StaticString) -> Bool {
    utf8.withContiguousStorageIfAvailable { find(needle, in: $0) }
      ?? contains("\(needle)")
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether an ASCII text lies at an offset.
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

extension RandomAccessCollection {
  /// The first index whose element fulfils a condition, or `endIndex`. The elements must be
  /// partitioned: once true, the condition stays true to the end. Takes O(log n) calls.
  ///
  /// In a rising collection, `{ $0 >= x }` gives the lower bound of `x` and `{ $0 > x }` the upper
  /// bound. The name is that of the same function in swift-algorithms.
  @inlinable @inline(__always)
  package func partitioningIndex(where condition: (Element) -> Bool) -> Index {
    var low = startIndex
    var high = endIndex
    while low != high {
      let middle = index(low, offsetBy: distance(from: low, to: high) / 2)
      if condition(self[middle]) { high = middle } else { low = index(after: middle) }
    }
    return low
  }
}

/// Variable-length unsigned numbers: seven bits in each byte, the lowest first; bit 7 is set in all
/// bytes but the last (DWARF 5, section 7.6).
package enum LEB128 {
  @inlinable
  package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Reads the number at an offset and advances the offset; nil if there is none.
  @inlinable
  package static func next(_ bytes: UnsafeRawBufferPointer, _ at: inout Int) -> UInt64? {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while at < bytes.count, shift < 64 {
      let byte = bytes[at]
      at += 1
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    return nil
  }
}
