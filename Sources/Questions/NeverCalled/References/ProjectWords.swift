import FirstlightModel

/// The places where functions' names stand as words in a project's files.
///
/// A plain scan: macros, names that they paste, strings, every branch of a preprocessor, assembly and scripts count.
/// Comments of C and Swift do not count. Of Swift, only `#if` branches, strings and uncompiled files count, since the
/// index has the rest. Text that may be a comment, a string or code counts as code: a word too many keeps a function.
package struct ProjectWords: Sendable {
  package struct Place: Hashable, Sendable {
    package var file: String
    /// From 1.
    package var line: Int
    /// Whether it declares or defines a C function of that name.
    var isDeclaration = false
    /// Whether it is a declaration without a body.
    var isPrototype = false
    /// Whether it is in a string of compiled Swift, which means other functions by their linker names.
    var isSwiftText = false
  }

  private enum Language { case c, swift, other }

  private static let c: Set<TextBytes> = [
    "c", "h", "cc", "hh", "cpp", "hpp", "cxx", "hxx", "inc", "inl", "def", "m", "mm",
  ]
  /// Documents, data and reports: many name all functions, and none uses any.
  private static let documents: Set<TextBytes> = [
    "md", "markdown", "rst", "adoc", "html", "htm", "txt", "json", "csv", "info", "lcov", "sarif",
    "log", "diff",
    "patch", "tags",
  ]

  /// The language of a file; nil if it is a document, or the manifest of a Swift package.
  private static func language(of file: String) -> Language? {
    let name = BaseName.of(file).lowercased()
    let ending = name.split(at: ".").last.map(String.init) ?? ""
    if ending == "swift" { return .swift }
    if c.contains(ending) { return name == ending ? .other : .c }
    return documents.contains(ending) && name != "cmakelists.txt" ? nil : .other
  }

  /// Whether a project's file can name functions, if it is text.
  static func isRead(_ name: String) -> Bool { language(of: name) != nil }

  private static func isManifest(_ text: String, _ file: String) -> Bool {
    BaseName.of(file).begins(with: "Package")
      && text.drop(any: "/ \t").begins(with: "swift-tools-version")
  }

  /// Whether a text can be a name in source.
  static func isWord(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isPart) && text.utf8.first.map(isDigit) == false
  }

  private var places: [TextBytes: [Place]] = [:]
  private let wanted: [UInt64: String]
  private var pasted = PastedNames()

  init(_ wanted: Set<TextBytes> = []) {
    var table: [UInt64: String] = [:]
    for word in wanted.lazy.map(\.text) where Self.isWord(word) {
      table[FNV1a.hash(of: word.utf8)] = word
    }
    self.wanted = table
  }

  var isEmpty: Bool { places.isEmpty }

  /// All places of a word, except those in comments.
  func all(_ word: String) -> [Place] { places[word] ?? [] }

  func has(_ word: Substring) -> Bool { places[word] != nil }

  /// Whether a word stands on some lines of a file.
  func stands(_ word: String, in file: String, _ lines: ClosedRange<Int>) -> Bool {
    all(word).contains { $0.file == file && lines.contains($0.line) }
  }

  /// - Parameter isCompiled: whether an index has the file's code outside of branches.
  package mutating func add(_ text: String, of file: String, isCompiled: Bool) {
    guard let language = Self.language(of: file), isCompiled || !Self.isManifest(text, file) else {
      return
    }
    var text = text
    if language == .c, let joined = JoinedLines(text) {
      joined.bytes.withUnsafeBufferPointer {
        add($0, of: file, language, isCompiled: isCompiled, joints: joined.joints)
      }
    } else {
      text.withUTF8 { add($0, of: file, language, isCompiled: isCompiled) }
    }
    pasted.endFile()
  }

  /// Adds the names that macros of all files can paste.
  mutating func addPasted() {
    guard !pasted.isEmpty else { return }
    for word in wanted.values {
      if let place = pasted.place(of: word) { places[word, default: []].append(place) }
    }
  }

  /// - Parameter joints: places where a line was continued.
  private mutating func add(
    _ text: UnsafeBufferPointer<UInt8>, of file: String, _ language: Language, isCompiled: Bool,
    joints: [Int] = []
  ) {
    var (place, line, start) = (0, 1, 0)
    var pending = joints[...]
    func number(_ place: Int) -> Int {
      while let joint = pending.first, joint <= place { pending.removeFirst() }
      return line + joints.count - pending.count
    }
    var quotes = QuoteState(isSwift: language == .swift)
    var statements = StatementStarts()
    var depth = max(0, Self.opening(text[...]))
    while place < text.count {
      let byte = text[place]
      if Self.isPart(byte) {
        let first = place
        var hash = FNV1a.basis
        while place < text.count, Self.isPart(text[place]) {
          hash = FNV1a.hash(hash, text[place])
          place += 1
        }
        statements.add(text[place - 1])
        if language != .swift { pasted.add(first..<place, hash, in: text, lineStart: start) }
        if language == .c {
          pasted.addPiece(
            first..<place, hash, in: text, isQuoted: quotes.isDoubtful,
            Place(file: file, line: number(first)))
        }
        let isKnown = language == .swift && isCompiled && depth == 0
        guard !isKnown || quotes.isDoubtful, !Self.isDigit(byte) else { continue }
        // The letter of an escape, as in "\nname", is no part of a name.
        if language == .other, first > 0, text[first - 1] == UInt8(ascii: "\\") {
          let rest = text[(first + 1)..<place]
          if let word = wanted[FNV1a.hash(of: rest)], word.utf8.elementsEqual(rest) {
            places[word, default: []].append(Place(file: file, line: number(first)))
          }
        }
        guard let word = wanted[hash], word.utf8.elementsEqual(text[first..<place]) else {
          continue
        }
        let isDeclaration =
          language == .c && statements.declares(text, lineStart: start, name: first..<place)
        places[word, default: []].append(
          Place(
            file: file, line: number(first), isDeclaration: isDeclaration,
            isPrototype: isDeclaration && Self.hasNoBody(text[place...]), isSwiftText: isKnown))
        continue
      }
      if language != .other, let end = quotes.endOfComment(text, place, lineStart: start) {
        while place < end {
          if text[place] == Self.newline { (line, start) = (line + 1, place + 1) }
          place += 1
        }
        continue
      }
      quotes.add(text, place)
      place += 1
      if byte == Self.newline {
        statements.endLine(text[start..<place])
        (line, start) = (line + 1, place)
        quotes.endLine(at: place)
        // The end of a branch may stand in a string: then the branch goes on.
        let change = language == .swift ? Self.opening(text[place...]) : 0
        if change > 0 || !quotes.isDoubtful { depth = max(0, depth + change) }
      } else if language == .c, byte == UInt8(ascii: "#"), place < text.count, text[place] == byte {
        pasted.addOperator(
          at: place - 1, in: text, lineStart: start, Place(file: file, line: number(place)))
        place += 1
      } else {
        statements.add(byte)
      }
    }
  }

  private static let newline = UInt8(ascii: "\n")

  static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  static func isPart(_ byte: UInt8) -> Bool {
    isDigit(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
      || byte >= 0x80
  }

  /// 1 if a line begins a branch, -1 if it ends one.
  private static func opening(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    let line = text.drop { $0 == 32 || $0 == 9 }
    if line.starts(with: "#if".utf8) { return 1 }
    return line.starts(with: "#endif".utf8) ? -1 : 0
  }

  /// Whether a declaration ends before a body begins.
  private static func hasNoBody(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    text.first { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "{") } == UInt8(ascii: ";")
  }
}
