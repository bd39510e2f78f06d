import FirstlightModel

/// The text of a source file, read once: its lines, and what in it is code, a comment or a literal.
package struct SourceText: Sendable {
  /// What is not plain code.
  struct Piece: Sendable {
    enum Kind: Sendable {
      case comment, literal
      /// Code, a comment or a literal: a regular expression of Swift looks like a division, and what never ends may
      /// be none of them. Counts as code.
      case doubtful
    }
    var kind: Kind
    var range: Range<Int>
  }

  /// A line of the preprocessor with those that it continues on, or of a condition of Swift's compiler.
  struct Directive: Sendable {
    /// Whole lines, without the last line's end.
    var range: Range<Int>
    /// `if` of `#  if X`.
    var word: String
  }

  package let bytes: [UInt8]
  let language: SourceLanguage
  /// Start of each line.
  private let starts: [Int]
  /// In order, and separate.
  let pieces: [Piece]
  let directives: [Directive]
  /// The places where continued lines were joined.
  private let joints: [Int]

  package init(_ bytes: [UInt8], _ language: SourceLanguage) {
    self.init(bytes, language, joints: [])
  }

  private init(_ bytes: [UInt8], _ language: SourceLanguage, joints: [Int]) {
    var scanner = SourceScanner(language)
    bytes.withUnsafeBufferPointer { scanner.scan($0) }
    (self.bytes, self.language, self.joints) = (bytes, language, joints)
    (starts, pieces, directives) = (scanner.starts, scanner.pieces, scanner.directives)
  }

  /// The text of C without the backslashes that continue lines, even within a word. Its lines keep their numbers.
  static func joiningLines(of text: String, _ language: SourceLanguage) -> SourceText {
    guard language == .c, text.containsUTF8("\\\n") || text.containsUTF8("\\\r\n") else {
      return SourceText(Array(text.utf8), language)
    }
    var (bytes, joints): ([UInt8], [Int]) = ([], [])
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      let end = bytes.last == UInt8(ascii: "\r") ? 2 : 1
      if byte == UInt8(ascii: "\n"), bytes.count >= end,
        bytes[bytes.count - end] == UInt8(ascii: "\\")
      {
        bytes.removeLast(end)
        joints.append(bytes.count)
      } else {
        bytes.append(byte)
      }
    }
    return SourceText(bytes, language, joints: joints)
  }

  // MARK: Lines

  package var lineCount: Int { starts.count }

  /// The bytes of a line with its end; nil if there is no such line.
  package func range(ofLine line: Int) -> Range<Int>? {
    guard line > 0, line <= starts.count else { return nil }
    return starts[line - 1]..<(line < starts.count ? starts[line] : bytes.count)
  }

  /// The line of a byte, from 1.
  package func line(of place: Int) -> Int {
    index(of: place) + 1 + (joints.isEmpty ? 0 : joints.partitioningIndex { $0 > place })
  }

  private func index(of place: Int) -> Int { starts.partitioningIndex { $0 > place } - 1 }

  /// Start of the line that contains a byte.
  package func start(of place: Int) -> Int { starts[index(of: place)] }

  /// End of the line that contains a byte, behind its line break.
  package func end(of place: Int) -> Int {
    let next = index(of: place) + 1
    return next < starts.count ? starts[next] : bytes.count
  }

  package func isBlank(_ range: Range<Int>) -> Bool { bytes[range].allSatisfy(\.isASCIISpace) }

  /// The first byte from `place` on that is not white space, on any line; nil if there is none.
  package func firstVisible(from place: Int) -> Int? {
    bytes[place...].firstIndex { !$0.isASCIISpace }
  }

  /// The last byte before `place` that is not white space; nil if there is none.
  package func lastVisible(before place: Int) -> Int? {
    bytes[..<place].lastIndex { !$0.isASCIISpace }
  }

  /// Whether a text is at `place`.
  package func has(_ text: StaticString, at place: Int) -> Bool {
    bytes.withUnsafeBufferPointer { $0.containsUTF8(text, at: place) }
  }

  // MARK: Code

  /// The comment that a byte belongs to.
  package func comment(at place: Int) -> Range<Int>? {
    let next = pieces.partitioningIndex { $0.range.upperBound > place }
    guard next < pieces.count, pieces[next].kind == .comment, pieces[next].range.contains(place)
    else { return nil }
    return pieces[next].range
  }

  /// The directive that a byte belongs to.
  func directive(at place: Int) -> Directive? {
    let next = directives.partitioningIndex { $0.range.upperBound > place }
    return next < directives.count && directives[next].range.contains(place)
      ? directives[next] : nil
  }

  /// The last visible byte before `place` that belongs to no comment and no directive; nil if there is none.
  package func lastCode(before place: Int) -> Int? {
    var place = place
    while let last = lastVisible(before: place) {
      guard let other = directive(at: last)?.range ?? comment(at: last) else { return last }
      place = other.lowerBound
    }
    return nil
  }

  /// Calls `body` with the place of each byte of code from `place` on, until it returns false.
  func eachByteOfCode(from place: Int, _ body: (Int) -> Bool) {
    var place = place
    var others = pieces[pieces.partitioningIndex { $0.range.upperBound > place }...]
    while place < bytes.count {
      if let other = others.first, place >= other.range.lowerBound, other.kind != .doubtful {
        place = other.range.upperBound
        others.removeFirst()
      } else {
        guard body(place) else { return }
        place += 1
        if let other = others.first, place >= other.range.upperBound { others.removeFirst() }
      }
    }
  }

  /// The code of a line without white space around it: a comment is a blank, and a literal is `""`.
  package func code(ofLine line: Int) -> String {
    guard let range = range(ofLine: line) else { return "" }
    var (code, place): ([UInt8], Int) = ([], range.lowerBound)
    let first = pieces.partitioningIndex { $0.range.upperBound > place }
    for piece in pieces[first...].prefix(while: { $0.range.lowerBound < range.upperBound })
    where piece.kind != .doubtful {
      code += bytes[place..<max(place, piece.range.lowerBound)]
      code += piece.kind == .comment ? " ".utf8 : "\"\"".utf8
      place = min(piece.range.upperBound, range.upperBound)
    }
    code += bytes[place..<range.upperBound]
    return String(String(decoding: code, as: UTF8.self).trimmed)
  }
}
