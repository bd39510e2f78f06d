/// Searching and splitting of foreign text, byte by byte. The functions of the standard library with similar names work
/// on characters: a separator with a combining mark behind it is another character, CR LF is one, and the cost
/// dominates for a hundred thousand names. `Scripts/lint` refuses those.
extension StringProtocol {
  /// Calls `body` with the UTF-8 bytes, without a copy.
  func withUTF8Bytes<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    try utf8.withContiguousStorageIfAvailable(body)
      ?? ContiguousArray(utf8).withUnsafeBufferPointer(body)
  }

  /// Whether the text begins with these bytes.
  package func begins(with start: StaticString) -> Bool {
    withUTF8Bytes { $0.containsUTF8(start, at: 0) }
  }

  @_disfavoredOverload
  package func begins(with start: some StringProtocol) -> Bool {
    withUTF8Bytes { text in start.withUTF8Bytes { text.contains($0, at: 0) } }
  }

  /// Whether the text ends with these bytes.
  package func ends(with end: StaticString) -> Bool {
    withUTF8Bytes { $0.containsUTF8(end, at: $0.count &- end.utf8CodeUnitCount) }
  }

  @_disfavoredOverload
  package func ends(with end: some StringProtocol) -> Bool {
    withUTF8Bytes { text in end.withUTF8Bytes { text.contains($0, at: text.count &- $0.count) } }
  }

  /// Whether these bytes occur in the text.
  package func containsUTF8(_ needle: StaticString) -> Bool {
    withUTF8Bytes { text in needle.withUTF8Buffer { text.offset(of: $0) != nil } }
  }

  @_disfavoredOverload
  package func containsUTF8(_ needle: some StringProtocol) -> Bool {
    withUTF8Bytes { text in needle.withUTF8Bytes { text.offset(of: $0) != nil } }
  }
}

extension StringProtocol where SubSequence == Substring {
  /// The first place of these bytes.
  package func firstRange(ofUTF8 needle: some StringProtocol) -> Range<Index>? {
    range(needle) { $0.offset(of: $1) }
  }

  /// The last place of these bytes.
  package func lastRange(ofUTF8 needle: some StringProtocol) -> Range<Index>? {
    range(needle) { $0.lastOffset(of: $1) }
  }

  package func firstIndex(ofUTF8 needle: some StringProtocol) -> Index? {
    firstRange(ofUTF8: needle)?.lowerBound
  }

  package func lastIndex(ofUTF8 needle: some StringProtocol) -> Index? {
    lastRange(ofUTF8: needle)?.lowerBound
  }

  private func range(
    _ needle: some StringProtocol,
    _ find: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Int?
  ) -> Range<Index>? {
    let size = needle.utf8.count
    let place = withUTF8Bytes { text in needle.withUTF8Bytes { find(text, $0) } }
    return place.map { index(ofByte: $0)..<index(ofByte: $0 + size) }
  }

  /// The text before and behind the first place of these bytes; nil if there is none.
  package func cut(at separator: some StringProtocol) -> (before: Substring, behind: Substring)? {
    firstRange(ofUTF8: separator).map { (self[..<$0.lowerBound], self[$0.upperBound...]) }
  }

  /// Like `cut(at:)`, at the last place.
  package func cutLast(at separator: some StringProtocol) -> (before: Substring, behind: Substring)?
  {
    lastRange(ofUTF8: separator).map { (self[..<$0.lowerBound], self[$0.upperBound...]) }
  }

  /// The text behind these bytes; nil if it does not begin with them.
  package func removing(prefix: some StringProtocol) -> Substring? {
    begins(with: prefix) ? self[index(ofByte: prefix.utf8.count)...] : nil
  }

  /// The text before these bytes; nil if it does not end with them.
  package func removing(suffix: some StringProtocol) -> Substring? {
    ends(with: suffix) ? self[..<index(ofByte: utf8.count - suffix.utf8.count)] : nil
  }

  /// Splits as `split(separator:)` does, at bytes.
  package func split(
    at separator: some StringProtocol, maxSplits: Int = .max, omittingEmpty: Bool = true
  ) -> [Substring] {
    let text = self[...]
    var parts: [Substring] = []
    text.withUTF8Bytes { bytes in
      separator.withUTF8Bytes { separator in
        var start = 0
        var from = 0
        while parts.count < maxSplits, let end = bytes.offset(of: separator, from: from) {
          from = end + separator.count
          if end > start || !omittingEmpty { parts.append(text.slice(start..<end)) }
          start = from
        }
        if start < bytes.count || !omittingEmpty { parts.append(text.slice(start..<bytes.count)) }
      }
    }
    return parts
  }

  /// The parts between bytes that fulfil a condition, without empty ones.
  package func split(atBytes isSeparator: (UInt8) -> Bool) -> [Substring] {
    self[...].utf8.split(whereSeparator: isSeparator).map(Substring.init)
  }

  /// The lines, as compilers number them: each ends with LF or CR LF. Form feeds and the separators of Unicode do not
  /// end a line. Behind a final line end there is one more, empty line.
  package var lines: [Substring] {
    split(at: "\n", omittingEmpty: false).map { $0.removing(suffix: "\r") ?? $0 }
  }

  /// The parts between blanks, tabs and line ends.
  package var words: [Substring] { split(atBytes: \.isASCIISpace) }

  /// The C identifiers and numbers. All bytes of a letter beyond ASCII are part of a word.
  package var identifiers: [Substring] { split(atBytes: { !$0.isWordPart }) }

  /// The text before the first of these bytes; all of it if none occurs.
  package func prefix(upToAny bytes: StaticString) -> Substring {
    bytes.withUTF8Buffer { bytes in
      Substring(self[...].utf8.prefix { !bytes.contains($0) })
    }
  }

  /// The text from the first byte that is none of these.
  package func drop(any bytes: StaticString) -> Substring {
    bytes.withUTF8Buffer { bytes in Substring(self[...].utf8.drop { bytes.contains($0) }) }
  }

  /// The text without blanks, tabs and line ends at both ends.
  package var trimmed: Substring {
    var bytes = self[...].utf8.drop(while: \.isASCIISpace)
    while bytes.last?.isASCIISpace == true { bytes.removeLast() }
    return Substring(bytes)
  }

  /// Replaces all places of some bytes.
  package func replacing(utf8 old: some StringProtocol, with new: some StringProtocol) -> String {
    guard containsUTF8(old) else { return String(self) }
    return split(at: old, omittingEmpty: false).joined(separator: String(new))
  }

  /// The index of a byte by its number.
  package func index(ofByte offset: Int) -> Index { utf8.index(startIndex, offsetBy: offset) }
}

extension Substring {
  fileprivate func slice(_ bytes: Range<Int>) -> Substring {
    self[index(ofByte: bytes.lowerBound)..<index(ofByte: bytes.upperBound)]
  }
}

extension UInt8 {
  /// A blank, a tab or a line end.
  package var isASCIISpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }
  /// Whether it ends a line, moves a cursor, or does something else that is no text.
  package var isControl: Bool { self < 0x20 || self == 0x7f }
  package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
  var isASCIIHexDigit: Bool { isASCIIDigit || (0x61...0x66).contains(self | 0x20) }
  package var isASCIILetter: Bool { (0x61...0x7a).contains(self | 0x20) }
  /// Whether it belongs to a C or Swift identifier, letters beyond ASCII included.
  package var isWordPart: Bool { isASCIILetter || isASCIIDigit || self == 0x5f || self >= 0x80 }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether an ASCII text lies at an offset.
  @inline(__always)
  package func containsUTF8(_ text: StaticString, at place: Int) -> Bool {
    let size = text.utf8CodeUnitCount
    guard place >= 0, size <= count &- place else { return false }
    for at in 0..<size where self[place &+ at] != text.utf8Start[at] { return false }
    return true
  }

  @inline(__always)
  fileprivate func contains(_ text: Self, at place: Int) -> Bool {
    guard place >= 0, text.count <= count &- place else { return false }
    for at in 0..<text.count where self[place &+ at] != text[at] { return false }
    return true
  }

  fileprivate func offset(of needle: Self, from start: Int = 0) -> Int? {
    guard let first = needle.first else { return start <= count ? start : nil }
    let last = count &- needle.count
    var place = start
    while place <= last {
      if self[place] == first, contains(needle, at: place) { return place }
      place &+= 1
    }
    return nil
  }

  fileprivate func lastOffset(of needle: Self) -> Int? {
    var place = count &- needle.count
    while place >= 0 {
      if contains(needle, at: place) { return place }
      place &-= 1
    }
    return nil
  }
}
