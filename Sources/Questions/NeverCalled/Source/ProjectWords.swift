import FirstlightModel

/// The places where functions' names stand as words in a project's files.
///
/// A plain scan: macros, names that they paste, strings, every branch of a preprocessor, assembly and scripts count.
/// Comments of C and Swift do not count. Of Swift, only `#if` branches, strings and uncompiled files count, since the
/// index has the rest. Text of which it is not certain that it is a comment counts: a word too many keeps a function.
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

  /// Documents, data and reports: many name all functions, and none uses any.
  private static let documents: Set<TextBytes> = [
    "md", "markdown", "rst", "adoc", "html", "htm", "txt", "json", "csv", "info", "lcov", "sarif",
    "log", "diff",
    "patch", "tags",
  ]

  /// The language of a file; nil if it is a document.
  private static func language(of file: String) -> SourceLanguage? {
    let language = SourceLanguage(of: file)
    guard language == .other else { return language }
    let name = BaseName.of(file).lowercased()
    let ending = name.split(at: ".").last ?? ""
    return documents.contains(ending) && name != "cmakelists.txt" ? nil : .plain
  }

  /// Whether a project's file can name functions, if it is text.
  static func isRead(_ name: String) -> Bool { language(of: name) != nil }

  private static func isManifest(_ text: String, _ file: String) -> Bool {
    BaseName.of(file).begins(with: "Package")
      && text.drop(any: "/ \t").begins(with: "swift-tools-version")
  }

  /// Whether a text can be a name in source.
  static func isWord(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(\.isWordPart)
      && text.utf8.first?.isASCIIDigit == false
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
    add(SourceText.joiningLines(of: text, language), of: file, isCompiled: isCompiled)
    pasted.endFile()
  }

  /// Adds the names that macros of all files can paste.
  mutating func addPasted() {
    guard !pasted.isEmpty else { return }
    for word in wanted.values {
      if let place = pasted.place(of: word) { places[word, default: []].append(place) }
    }
  }

  private mutating func add(_ source: SourceText, of file: String, isCompiled: Bool) {
    source.bytes.withUnsafeBufferPointer { text in
      var pieces = source.pieces[...]
      var directives = source.directives[...]
      var macro: PastedNames.Macro?
      var (place, depth) = (0, 0)
      while place < text.count {
        if let directive = directives.first, place >= directive.range.lowerBound {
          directives.removeFirst()
          if directive.word.begins(with: "if") { depth += 1 }
          if directive.word == "endif" { depth = max(0, depth - 1) }
          macro = directive.word == "define" ? PastedNames.Macro(text, directive.range) : nil
        }
        if let piece = pieces.first, place >= piece.range.lowerBound {
          if place >= piece.range.upperBound || piece.kind == .comment {
            place = max(place, piece.range.upperBound)
            pieces.removeFirst()
            continue
          }
        }
        let isText = pieces.first.map { $0.range.lowerBound <= place } ?? false
        let first = place
        while place < text.count, text[place].isWordPart { place += 1 }
        if first < place {
          // An index knows the other code of Swift.
          let isKnown = source.language == .swift && isCompiled && depth == 0
          if !isKnown || isText {
            add(first..<place, in: text, of: source, file, macro, isText: isText, isKnown: isKnown)
          }
        } else if source.language == .c, text.containsUTF8("##", at: place) {
          if let macro, macro.range.contains(place) {
            pasted.addOperator(at: place, in: text, macro, Self.place(first, source, file))
          }
          place += 2
        } else {
          place += 1
        }
      }
    }
  }

  private static func place(_ byte: Int, _ source: SourceText, _ file: String) -> Place {
    Place(file: file, line: source.line(of: byte))
  }

  /// Adds a word.
  ///
  /// - Parameters:
  ///   - macro: the last macro that is defined before.
  ///   - isText: whether it may stand in a string.
  ///   - isKnown: whether an index has it, unless it stands in a string.
  private mutating func add(
    _ word: Range<Int>, in text: UnsafeBufferPointer<UInt8>, of source: SourceText, _ file: String,
    _ macro: PastedNames.Macro?, isText: Bool, isKnown: Bool
  ) {
    let hash = FNV1a.hash(of: text[word])
    if source.language != .swift {
      pasted.add(
        word, hash, in: text, macro.flatMap { $0.range.contains(word.lowerBound) ? $0 : nil })
    }
    if source.language == .c {
      pasted.addPiece(
        word, hash, in: text, isQuoted: isText, Self.place(word.lowerBound, source, file))
    }
    guard !text[word.lowerBound].isASCIIDigit else { return }
    // The letter of an escape, as in "\nname", is no part of a name.
    if source.language == .plain, word.lowerBound > 0,
      text[word.lowerBound - 1] == UInt8(ascii: "\\"),
      let name = wanted(text[word.dropFirst()])
    {
      places[name, default: []].append(Self.place(word.lowerBound, source, file))
    }
    guard let name = wanted(text[word]) else { return }
    var place = Self.place(word.lowerBound, source, file)
    place.isDeclaration = source.language == .c && source.declaresFunction(word)
    place.isPrototype = place.isDeclaration && source.hasNoBody(from: word.upperBound)
    place.isSwiftText = isKnown
    places[name, default: []].append(place)
  }

  private func wanted(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
    guard let name = wanted[FNV1a.hash(of: bytes)], name.utf8.elementsEqual(bytes) else {
      return nil
    }
    return name
  }
}

/// Declarations of functions in C, as far as they are certain: at the first column, behind the end of another one.
extension SourceText {
  /// Whether a function's name is declared or defined: parentheses follow, and only words of a type precede it, on its
  /// line or on the one above.
  fileprivate func declaresFunction(_ name: Range<Int>) -> Bool {
    guard bytes[name.upperBound...].first(where: { $0 != 0x20 }) == UInt8(ascii: "(") else {
      return false
    }
    var start = start(of: name.lowerBound)
    var type = bytes[start..<name.lowerBound]
    if type.isEmpty, let last = lastVisible(before: start) {
      start = self.start(of: last)
      type = bytes[start...last]
    }
    guard Self.isType(type) else { return false }
    return lastCode(before: start).map { ";{}".utf8.contains(bytes[$0]) } ?? true
  }

  fileprivate func hasNoBody(from place: Int) -> Bool {
    var end: UInt8?
    eachByteOfCode(from: place) {
      if ";{".utf8.contains(bytes[$0]) { end = bytes[$0] }
      return end == nil
    }
    return end == UInt8(ascii: ";")
  }

  private static func isType(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.first?.isWordPart == true,
      text.allSatisfy({ $0.isWordPart || " \t\r\n*".utf8.contains($0) })
    else { return false }
    return !String(decoding: text, as: UTF8.self).identifiers.contains(where: statements.contains)
  }

  private static let statements: Set<TextBytes> = [
    "return", "else", "case", "do", "goto", "sizeof", "typeof", "throw", "delete", "new",
    "co_await", "co_return", "co_yield",
  ]
}
