import FirstlightModel

/// The lines of a declaration, by the line of its name, from 1.
extension SourceText {
  /// The most lines between a function's name and the first line of its declaration in C.
  private static let longestHead = 16
  private static let keywords: Set<TextBytes> = [
    "func", "var", "let", "class", "struct", "enum", "actor", "protocol", "extension", "init",
    "deinit", "subscript", "case", "typealias", "associatedtype", "import", "operator", "macro",
  ]
  private static let modifiers: Set<TextBytes> = [
    "public", "package", "internal", "private", "fileprivate", "open", "static", "final",
    "override", "mutating", "nonmutating", "nonisolated", "lazy", "weak", "unowned", "dynamic",
    "indirect", "required", "convenience", "optional", "distributed", "isolated",
  ]

  /// The first line of a declaration: that of its attributes and modifiers, or of its type in C.
  package func firstLine(ofDeclarationAt line: Int) -> Int {
    guard line > 0, line <= lineCount else { return line }
    var first = language == .swift ? opening(of: line) : line
    var above = first - 1
    while above > 0, language == .swift || line - above < Self.longestHead {
      let code = code(ofLine: above)
      let isDirective = directive(at: start(ofLine: above)) != nil
      if code.isEmpty || isDirective && language == .swift {
        // A comment, or a condition of attributes.
      } else if language == .swift {
        let start = opening(of: above)
        guard isPrefix(start...above) else { break }
        (first, above) = (start, start)
      } else {
        let endsOther = code.utf8.contains { ";{}".utf8.contains($0) } || code.ends(with: ":")
        guard !isDirective, !endsOther else { break }
        first = above
      }
      above -= 1
    }
    return first
  }

  /// The code of a declaration's lines down to that of its name.
  func head(ofDeclarationAt line: Int) -> [String] {
    guard line > 0, line <= lineCount else { return [] }
    return (firstLine(ofDeclarationAt: line)...line).map(code)
  }

  private func start(ofLine line: Int) -> Int { range(ofLine: line)?.lowerBound ?? bytes.count }

  /// The line with the opening parenthesis that a line closes: that of `@Option(` for `help: "x")`.
  private func opening(of line: Int) -> Int {
    var (open, first) = (0, line)
    for number in stride(from: line, to: 0, by: -1) {
      for byte in code(ofLine: number).utf8 {
        if byte == UInt8(ascii: ")") { open += 1 } else if byte == UInt8(ascii: "(") { open -= 1 }
      }
      first = number
      if open <= 0 || line - number > 60 { break }
    }
    return open <= 0 ? first : line
  }

  /// Whether lines of Swift are attributes and modifiers of the declaration below them.
  private func isPrefix(_ lines: ClosedRange<Int>) -> Bool {
    var (depth, outside): (Int, [UInt8]) = (0, [])
    for byte in lines.map(code).joined(separator: " ").utf8 {
      if byte == UInt8(ascii: ")") { depth -= 1 }
      if depth == 0 { outside.append(byte) }
      if byte == UInt8(ascii: "(") { depth += 1 }
    }
    let words = String(decoding: outside, as: UTF8.self).split(atBytes: { " ()".utf8.contains($0) })
    return words.first?.begins(with: "@") == true
      ? !words.contains { Self.keywords.contains($0) || $0.containsUTF8("{") }
      : words.allSatisfy(Self.modifiers.contains)
  }

  // MARK: Extent

  /// The line of a declaration's closing brace; nil if unclear.
  ///
  /// An estimate: counts braces of all branches of a preprocessor. A brace at the first column ends it.
  func lastLine(ofDeclarationAt line: Int) -> Int? {
    guard line > 0, line <= lineCount else { return nil }
    var (depth, parentheses) = (0, 0)
    var (hasBody, isStatement) = (false, false)
    var (last, read): (Int?, Int) = (nil, line - 1)
    /// Whether the declaration ends without a brace at the end of a line: a variable or a prototype.
    func isEnded(at end: Int) -> Bool {
      while read < end {
        read += 1
        let code = code(ofLine: read)
        isStatement =
          isStatement || code.containsUTF8(";")
          || code.words.contains { ["let", "var", "case"].contains(String($0)) }
      }
      return depth == 0 && parentheses <= 0 && !hasBody && isStatement
    }
    eachByteOfCode(from: start(ofLine: line)) { place in
      switch bytes[place] {
      case UInt8(ascii: "("), UInt8(ascii: "["): parentheses += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"): parentheses -= 1
      case UInt8(ascii: "{"):
        depth += 1
        // Not the brace of a closure among arguments.
        if parentheses <= 0 { hasBody = true }
      case UInt8(ascii: "}"):
        depth -= 1
        if depth < 0 || depth == 0 && parentheses <= 0 { last = self.line(of: place) }
      case UInt8(ascii: "\n"):
        let end = self.line(of: place)
        if isEnded(at: end) { last = end }
        // However braces are counted: branches of a preprocessor may each open one.
        if last == nil, has("}", at: place + 1) { last = end + 1 }
      default: break
      }
      return last == nil
    }
    return last ?? (isEnded(at: lineCount) ? lineCount : nil)
  }
}
