import FirstlightModel

/// The lines of C on which a declaration outside of functions begins, as far as that is certain: at the first column,
/// behind the end of another declaration.
struct StatementStarts {
  typealias Text = UnsafeBufferPointer<UInt8>

  /// The last visible byte, without comments and directives.
  private var last: UInt8?
  /// That of the text before the current line, and before the line above it.
  private var before: UInt8?
  private var beforePrevious: UInt8?
  /// The line above, if it ends with a word or `*`.
  private var previous: [UInt8] = []

  /// Adds a byte of code.
  mutating func add(_ byte: UInt8) {
    if byte != 0x20, !(0x09...0x0d).contains(byte) { last = byte }
  }

  mutating func endLine(_ line: Slice<Text>) {
    // A directive may stand within a statement.
    if line.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "#") {
      last = before
      return
    }
    if line.contains(where: { !$0.isASCIISpace }) {
      beforePrevious = before
      previous = Array(line)
    }
    before = last
  }

  /// Whether a function's name is declared or defined: parentheses follow, and only words of a type precede it, on its
  /// line or on the one above.
  func declares(_ text: Text, lineStart: Int, name: Range<Int>) -> Bool {
    guard text[name.upperBound...].first(where: { $0 != 0x20 }) == UInt8(ascii: "(") else {
      return false
    }
    let line = text[lineStart..<name.lowerBound]
    return line.isEmpty
      ? Self.isType(previous) && Self.ends(beforePrevious) : Self.isType(line) && Self.ends(before)
  }

  private static func ends(_ byte: UInt8?) -> Bool { byte.map { ";{}".utf8.contains($0) } ?? true }

  private static func isType(_ text: some Collection<UInt8>) -> Bool {
    guard let first = text.first, ProjectWords.isPart(first),
      text.allSatisfy({ ProjectWords.isPart($0) || " \t\r\n*".utf8.contains($0) })
    else { return false }
    let words = text.split { !ProjectWords.isPart($0) }.map { String(decoding: $0, as: UTF8.self) }
    return !words.contains(where: statements.contains)
  }

  private static let statements: Set<TextBytes> = [
    "return", "else", "case", "do", "goto", "sizeof", "typeof", "throw", "delete", "new",
    "co_await",
    "co_return", "co_yield",
  ]
}
