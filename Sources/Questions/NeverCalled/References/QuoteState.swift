import FirstlightModel

/// Whether text of C or Swift may stand in a string, a character or a regular expression. It only rules out: behind a
/// quote nothing is a comment for certain until the line ends, and in Swift behind `"""`, `#"` or `#/` until the file
/// ends.
struct QuoteState {
  typealias Text = UnsafeBufferPointer<UInt8>

  private let isSwift: Bool
  private var isQuoted = false
  private var isLong = false
  /// The end of a raw string of C++.
  private var rawEnd = 0

  init(isSwift: Bool) { self.isSwift = isSwift }

  var isDoubtful: Bool { isQuoted || isLong }

  /// Adds a byte that is neither part of a word nor of a comment.
  mutating func add(_ text: Text, _ place: Int) {
    let byte = text[place]
    let isQuote = byte == UInt8(ascii: "\"") || (!isSwift && byte == UInt8(ascii: "'"))
    // Division and a regular expression look alike.
    isQuoted = isQuoted || isQuote || isSwift && byte == UInt8(ascii: "/")
    let next = place + 1 < text.count ? text[place + 1] : 0
    if isSwift {
      if byte == UInt8(ascii: "#"), "\"/#".utf8.contains(next) { isLong = true }
      if isQuote, text[place...].starts(with: [byte, byte, byte]) { isLong = true }
    } else if byte == UInt8(ascii: "\""), place > 0, place >= rawEnd,
      text[place - 1] == UInt8(ascii: "R")
    {
      rawEnd = max(rawEnd, Self.rawEnd(text, place))
    }
  }

  mutating func endLine(at place: Int) { isQuoted = place < rawEnd }

  /// The end of the comment that begins at a place; nil if none begins there, or none for certain.
  func endOfComment(_ text: Text, _ place: Int, lineStart: Int) -> Int? {
    guard !isDoubtful, text[place] == UInt8(ascii: "/"), place + 1 < text.count else { return nil }
    switch text[place + 1] {
    case UInt8(ascii: "/"):
      guard !isSwift || place == lineStart || text[place - 1] != UInt8(ascii: "#") else {
        return nil
      }
      return text[place...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
    case UInt8(ascii: "*"): return endOfBlock(text, place + 2)
    default: return nil
    }
  }

  /// Comments of Swift are nested.
  private func endOfBlock(_ text: Text, _ start: Int) -> Int {
    var (place, depth) = (start, 1)
    while place + 1 < text.count {
      switch (text[place], text[place + 1]) {
      case (UInt8(ascii: "*"), UInt8(ascii: "/")):
        (place, depth) = (place + 2, depth - 1)
        if depth == 0 { return place }
      case (UInt8(ascii: "/"), UInt8(ascii: "*")) where isSwift:
        (place, depth) = (place + 2, depth + 1)
      default: place += 1
      }
    }
    return text.count
  }

  /// The end of a raw string from its quote on: `"mark(text)mark"`.
  private static func rawEnd(_ text: Text, _ quote: Int) -> Int {
    let mark = text[(quote + 1)...].prefix(17).prefix { !"( )\\\t\n".utf8.contains($0) }
    guard mark.endIndex < text.count, text[mark.endIndex] == UInt8(ascii: "(") else { return quote }
    let end = [UInt8(ascii: ")")] + mark + [UInt8(ascii: "\"")]
    var place = mark.endIndex
    while place < text.count {
      if text[place...].starts(with: end) { return place + end.count }
      place += 1
    }
    return text.count
  }
}
