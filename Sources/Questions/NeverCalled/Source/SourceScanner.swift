import FirstlightModel

/// Divides a source into code, comments, literals and directives.
struct SourceScanner {
  private typealias Text = UnsafeBufferPointer<UInt8>

  private(set) var starts = [0]
  private(set) var pieces: [SourceText.Piece] = []
  private(set) var directives: [SourceText.Directive] = []
  private let language: SourceLanguage
  private var text = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  private var place = 0
  /// Whether the line has code up to here.
  private var hasCode = false
  /// The start and the word of the directive that the line belongs to.
  private var directive: (start: Int, word: String)?

  init(_ language: SourceLanguage) { self.language = language }

  mutating func scan(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
    for at in text.indices where text[at] == UInt8(ascii: "\n") { starts.append(at + 1) }
    while place < text.count { step() }
    endDirective()
    self.text = UnsafeBufferPointer(start: nil, count: 0)
  }

  private func byte(_ distance: Int) -> UInt8 {
    place + distance >= 0 && place + distance < text.count ? text[place + distance] : 0
  }

  /// Passes one word, piece, directive's word or other byte.
  private mutating func step() {
    let first = text[place]
    switch first {
    case UInt8(ascii: "\n"):
      endDirective()
      hasCode = false
      place += 1
      return
    case UInt8(ascii: "\\"):
      // A continued line.
      place += byte(1) == UInt8(ascii: "\r") ? 3 : 2
    case UInt8(ascii: "#"):
      let hashes = text[place...].prefix { $0 == first }.count
      if language == .swift, byte(hashes) == UInt8(ascii: "\"") {
        swiftLiteral(hashes)
      } else if language == .swift, byte(hashes) == UInt8(ascii: "/") {
        // A regular expression, which has no names.
        add(.doubtful, to: endOfLine(from: place))
      } else {
        hash()
      }
    case _ where language == .plain || first.isASCIISpace:
      place += 1
      if first.isASCIISpace { return }
    case UInt8(ascii: "/") where byte(1) == first || byte(1) == UInt8(ascii: "*"):
      comment()
      return
    case UInt8(ascii: "/") where language == .swift && mayBeginExpression:
      add(.doubtful, to: endOfLine(from: place))
    case UInt8(ascii: "\"") where language == .swift: swiftLiteral(0)
    case UInt8(ascii: "\""): literal()
    case UInt8(ascii: "'") where language == .c: literal()
    case UInt8(ascii: "'") where language == .other:
      // Not the quote of a lifetime in Rust.
      if byte(1) == UInt8(ascii: "\\") || byte(2) == first { literal() } else { place += 1 }
    case _ where first.isWordPart: word()
    default: place += 1
    }
    hasCode = true
  }

  private mutating func add(_ kind: SourceText.Piece.Kind, to end: Int) {
    pieces.append(SourceText.Piece(kind: kind, range: place..<min(end, text.count)))
    place = min(end, text.count)
  }

  /// The end of the line of C that goes on, behind a backslash, on the next one.
  private func endOfLine(from start: Int, isContinued: Bool = false) -> Int {
    var end = start
    while end < text.count {
      if text[end] == UInt8(ascii: "\n") {
        let last = end - (end > start && text[end - 1] == UInt8(ascii: "\r") ? 2 : 1)
        if !isContinued || last < start || text[last] != UInt8(ascii: "\\") { break }
      }
      end += 1
    }
    return end
  }

  // MARK: Words and directives

  private mutating func word() {
    let start = place
    let isNumber = text[start].isASCIIDigit
    while place < text.count {
      // 1'000'000 of C++.
      let isDigitSeparator =
        isNumber && language == .c && text[place] == UInt8(ascii: "'") && byte(1).isWordPart
      guard text[place].isWordPart || isDigitSeparator else { break }
      place += 1
    }
    guard language == .c, byte(0) == UInt8(ascii: "\""),
      ["R", "LR", "uR", "UR", "u8R"].contains(where: { text[start..<place].elementsEqual($0.utf8) })
    else { return }
    // A raw string: R"mark(text)mark".
    let mark = text[(place + 1)...].prefix(17).prefix { !"( )\\\t\n".utf8.contains($0) }
    guard mark.endIndex < text.count, text[mark.endIndex] == UInt8(ascii: "(") else { return }
    let end = [UInt8(ascii: ")")] + mark + [UInt8(ascii: "\"")]
    var found = mark.endIndex
    while found < text.count, !text[found...].starts(with: end) { found += 1 }
    add(found < text.count ? .literal : .doubtful, to: found + end.count)
  }

  /// Passes a hash and, if it begins a directive, the directive's word.
  private mutating func hash() {
    let start = text[..<place].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    place += 1
    guard !hasCode, directive == nil else { return }
    while byte(0) == 0x20 || byte(0) == 0x09 { place += 1 }
    let letters = text[place...].prefix { $0.isASCIILetter }
    let word = String(decoding: letters, as: UTF8.self)
    // Swift has macros of other names, and Rust has attributes.
    let isDirective =
      switch language {
      case .c: true
      case .swift: ["if", "elseif", "else", "endif"].contains(word)
      case .other, .plain: !word.isEmpty
      }
    place = letters.endIndex
    if isDirective { directive = (start, word) }
  }

  private mutating func endDirective() {
    guard let (start, word) = directive else { return }
    directives.append(SourceText.Directive(range: start..<place, word: word))
    directive = nil
  }

  // MARK: Comments

  private mutating func comment() {
    guard byte(1) == UInt8(ascii: "*") else {
      return add(.comment, to: endOfLine(from: place, isContinued: language == .c))
    }
    var (end, depth) = (place + 2, 1)
    while end + 1 < text.count, depth > 0 {
      if text[end] == UInt8(ascii: "*"), text[end + 1] == UInt8(ascii: "/") {
        (end, depth) = (end + 2, depth - 1)
      } else if language == .swift, text[end] == UInt8(ascii: "/"),
        text[end + 1] == UInt8(ascii: "*")
      {
        (end, depth) = (end + 2, depth + 1)
      } else {
        end += 1
      }
    }
    add(depth == 0 ? .comment : .doubtful, to: depth == 0 ? end : text.count)
  }

  // MARK: Literals

  /// A string or a character of C, which ends with its line.
  private mutating func literal() {
    var end = place + 1
    while end < text.count, text[end] != text[place], text[end] != UInt8(ascii: "\n") {
      guard text[end] == UInt8(ascii: "\\") else {
        end += 1
        continue
      }
      end += end + 1 < text.count && text[end + 1] == UInt8(ascii: "\r") ? 3 : 2
    }
    add(.literal, to: end < text.count && text[end] == text[place] ? end + 1 : end)
  }

  /// Whether a slash may begin a regular expression of Swift: behind no operand, and before another slash.
  private var mayBeginExpression: Bool {
    guard !byte(1).isASCIISpace, byte(-1).isASCIISpace || "([{,;:\0".utf8.contains(byte(-1)) else {
      return false
    }
    return text[(place + 1)..<endOfLine(from: place)].contains(UInt8(ascii: "/"))
  }

  private func isClosed(_ hashes: Int, at end: Int) -> Bool {
    text[min(end, text.count)...].prefix(hashes).count { $0 == UInt8(ascii: "#") } == hashes
  }

  /// A string of Swift with the code of its interpolations.
  private mutating func swiftLiteral(_ hashes: Int) {
    if let end = endOfSwiftLiteral(from: place, hashes) {
      add(.literal, to: end)
    } else {
      add(.doubtful, to: text.count)
    }
  }

  /// Nil if it does not end.
  private func endOfSwiftLiteral(from start: Int, _ hashes: Int) -> Int? {
    let quote = UInt8(ascii: "\"")
    var end = start + hashes + 1
    var isLong = text[(start + hashes)...].starts(with: [quote, quote, quote])
    if isLong, hashes > 0 {
      // #"""# is a quote.
      isLong = !(end..<endOfLine(from: end)).contains {
        text[$0] == quote && isClosed(hashes, at: $0 + 1)
      }
    }
    if isLong { end += 2 }
    while end < text.count {
      switch text[end] {
      case quote where isLong:
        if text[end...].starts(with: [quote, quote, quote]), isClosed(hashes, at: end + 3) {
          return end + 3 + hashes
        }
        end += 1
      case quote where isClosed(hashes, at: end + 1): return end + 1 + hashes
      case UInt8(ascii: "\n") where !isLong: return end
      case UInt8(ascii: "\\") where isClosed(hashes, at: end + 1):
        end += hashes + 1
        guard end < text.count else { return nil }
        guard text[end] == UInt8(ascii: "(") else {
          end += text[end] == UInt8(ascii: "\n") ? 0 : 1
          continue
        }
        guard let behind = endOfInterpolation(from: end) else { return nil }
        end = behind
      default: end += 1
      }
    }
    return isLong ? nil : end
  }

  private func endOfInterpolation(from start: Int) -> Int? {
    var (end, depth) = (start, 0)
    while end < text.count {
      switch text[end] {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth == 0 { return end + 1 }
      case UInt8(ascii: "\""):
        let hashes = text[start..<end].reversed().prefix { $0 == UInt8(ascii: "#") }.count
        guard let behind = endOfSwiftLiteral(from: end - hashes, hashes) else { return nil }
        end = behind
        continue
      default: break
      }
      end += 1
    }
    return nil
  }
}
