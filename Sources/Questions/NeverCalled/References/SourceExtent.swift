import FirstlightModel

extension SourceMarks {
  /// Number of lines of a declaration, from its documentation and attributes to its closing brace;
  /// nil if unclear.
  ///
  /// An estimate: ignores braces in strings and comments, but counts those that a preprocessor excludes. A brace at the
  /// first column ends it.
  ///
  /// - Parameter line: the line of its name, from 1.
  package func lineCount(ofDeclarationAt line: Int) -> Int? {
    lastLine(ofDeclarationAt: line).map { $0 - line + 1 + linesAbove(line) }
  }

  /// The line of a declaration's closing brace, from 1, estimated likewise; nil if unclear.
  func lastLine(ofDeclarationAt line: Int) -> Int? {
    guard line > 0, line <= lines.count else { return nil }
    var braces = Braces()
    for distance in 0..<min(lines.count - line + 1, 5000) {
      // However braces are counted: branches of a preprocessor may each open one.
      if distance > 0, lines[line - 1 + distance].begins(with: "}") { return line + distance }
      switch braces.add(lines[line - 1 + distance]) {
      case .open: continue
      case .closed, .none: return line + distance
      }
    }
    return nil
  }

  private func linesAbove(_ line: Int) -> Int {
    var count = 0
    while line - 2 - count >= 0 {
      let text = lines[line - 2 - count].drop(any: " \t")
      guard Self.isAbove(text), text.first != "}" else { break }
      count += 1
    }
    return count
  }
}

/// Tracks the braces of a declaration, line by line.
private struct Braces {
  enum State {
    /// The declaration continues.
    case open
    /// The last brace is closed.
    case closed
    /// The declaration ended without a brace.
    case none
  }

  private var depth = 0
  private var parentheses = 0
  private var hasBody = false
  private var isComment = false
  private var isLongText = false
  /// Whether a line was read that may be the whole declaration.
  private var isStatement = false

  mutating func add(_ line: Substring) -> State {
    var bytes = Array(line.utf8)[...]
    while let byte = bytes.popFirst() {
      if isComment {
        if byte == UInt8(ascii: "*"), bytes.first == UInt8(ascii: "/") {
          bytes.removeFirst()
          isComment = false
        }
        continue
      }
      if byte == UInt8(ascii: "\""), bytes.starts(with: [UInt8(ascii: "\""), UInt8(ascii: "\"")]) {
        bytes.removeFirst(2)
        isLongText.toggle()
        continue
      }
      guard !isLongText else { continue }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): Self.skipText(byte, &bytes)
      case UInt8(ascii: "/") where bytes.first == UInt8(ascii: "/"): bytes = []
      case UInt8(ascii: "/") where bytes.first == UInt8(ascii: "*"): isComment = true
      case UInt8(ascii: "("), UInt8(ascii: "["): parentheses += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"): parentheses -= 1
      case UInt8(ascii: "{"):
        depth += 1
        // Not the brace of a closure among arguments.
        if parentheses <= 0 { hasBody = true }
      case UInt8(ascii: "}"):
        depth -= 1
        if depth == 0, parentheses <= 0 { return .closed }
        if depth < 0 { return .none }
      default: break
      }
    }
    isStatement = isStatement || Self.endsStatement(line)
    if depth == 0, parentheses <= 0, !hasBody, !isComment, !isLongText, isStatement {
      return .none
    }
    return .open
  }

  /// Skips a string on one line; skips nothing after a quote such as in Rust's lifetimes, `'a`.
  private static func skipText(_ quote: UInt8, _ bytes: inout ArraySlice<UInt8>) {
    if quote == UInt8(ascii: "'") {
      let isLetter = bytes.dropFirst().first == quote
      let isEscaped = bytes.first == UInt8(ascii: "\\")
      guard isLetter || isEscaped else { return }
    }
    while let byte = bytes.popFirst(), byte != quote {
      if byte == UInt8(ascii: "\\") { bytes = bytes.dropFirst() }
    }
  }

  /// Whether a declaration without body may end with a line: a variable, or a prototype.
  private static func endsStatement(_ line: Substring) -> Bool {
    let words = line.words
    return line.containsUTF8(";") || words.contains { $0 == "let" || $0 == "var" || $0 == "case" }
  }
}
