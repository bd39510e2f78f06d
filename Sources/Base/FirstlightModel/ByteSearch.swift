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

extension RandomAccessCollection {
  /// The first index whose element fulfils a condition that, once true, stays true to the end; `endIndex`
  /// if none does. Takes O(log n) calls.
  ///
  /// In a rising collection `{ $0 >= x }` gives the lower bound of `x`, `{ $0 > x }` the upper bound. Named
  /// after the same function of swift-algorithms.
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

/// Unsigned numbers in few bytes: seven bits each, the lowest first, all but the last with bit 7 set
/// (DWARF 5, section 7.6).
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

  /// The number at a place, which moves behind it; nil if there is none.
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
