import FirstlightModel

/// The names that C's preprocessor can paste: `n##_show` makes `speed_show` of the argument `speed`.
///
/// All macros of a project count, in every branch, and any word that is an argument of any macro or function, a
/// macro's whole text, or a value of `-D`. Other names are made of any word of C with affixes around it: words such as
/// `_impl` and `get_` in a string, where `#x "_impl"` puts them together, or beside a `##`.
struct PastedNames: Sendable {
  private enum Part: Hashable {
    case text([UInt8])
    /// A parameter.
    case any
  }

  /// Each with the place of its first `##`.
  private var patterns: [[Part]: ProjectWords.Place] = [:]
  /// Hashes of words that a parameter may stand for.
  private var arguments: Set<UInt64> = []
  /// Hashes of all words of C.
  private var stems: Set<UInt64> = []
  /// By hash of an affix: its first place.
  private var affixes: [UInt64: ProjectWords.Place] = [:]
  /// The pattern that the next `##` may continue, and where its last part is.
  private var last: (pattern: [Part], end: Range<Int>, place: ProjectWords.Place)?

  typealias Text = UnsafeBufferPointer<UInt8>

  // MARK: Scanning a file

  /// Adds a word if it stands where a parameter's value may: among arguments, behind `=`, or as a macro's whole text.
  ///
  /// - Parameter macro: the macro whose definition it stands in.
  mutating func add(_ word: Range<Int>, _ hash: UInt64, in text: Text, _ macro: Macro?) {
    var before = word.lowerBound - 1
    while before >= 0, text[before].isASCIISpace { before -= 1 }
    var end = word.upperBound
    switch before >= 0 ? text[before] : 0 {
    case UInt8(ascii: "="): arguments.insert(hash)
    case UInt8(ascii: "("), UInt8(ascii: ","):
      while end < text.count, text[end].isASCIISpace { end += 1 }
      guard end < text.count, text[end] == UInt8(ascii: ")") || text[end] == UInt8(ascii: ","),
        macro?.isParameter(word, of: text) != true
      else { return }
      arguments.insert(hash)
    default:
      while end < text.count, Self.isBlank(text[end]) || text[end] == 0x0d { end += 1 }
      guard end == text.count || text[end] == 0x0a,
        macro?.text == word.lowerBound
      else { return }
      arguments.insert(hash)
    }
  }

  /// Adds a word of C, which may be a name's affix.
  ///
  /// - Parameter isQuoted: whether it may stand in a string.
  mutating func addPiece(
    _ word: Range<Int>, _ hash: UInt64, in text: Text, isQuoted: Bool,
    _ name: @autoclosure () -> ProjectWords.Place
  ) {
    stems.insert(hash)
    let underscore = UInt8(ascii: "_")
    guard word.count > 1,
      text[word.lowerBound] == underscore || text[word.upperBound - 1] == underscore,
      isQuoted || Self.isJoined(word, in: text), affixes[hash] == nil
    else { return }
    affixes[hash] = name()
  }

  /// Whether `##` is beside a word.
  private static func isJoined(_ word: Range<Int>, in text: Text) -> Bool {
    text[..<word.lowerBound].last { !isBlank($0) } == UInt8(ascii: "#")
      || text[word.upperBound...].first { !isBlank($0) } == UInt8(ascii: "#")
  }

  /// Adds the operator `##` at a place in a macro's definition.
  mutating func addOperator(
    at place: Int, in text: Text, _ macro: Macro, _ name: ProjectWords.Place
  ) {
    let lineStart = macro.range.lowerBound
    var start = place
    while start > lineStart, Self.isBlank(text[start - 1]) { start -= 1 }
    let leftEnd = start
    while start > lineStart, text[start - 1].isWordPart { start -= 1 }
    var end = place + 2
    while end < text.count, Self.isBlank(text[end]) { end += 1 }
    let rightStart = end
    while end < text.count, text[end].isWordPart { end += 1 }
    func part(_ range: Range<Int>) -> Part {
      range.isEmpty || macro.isParameter(range, of: text) ? .any : .text(Array(text[range]))
    }
    let (left, right) = (start..<leftEnd, rightStart..<end)
    if let last, last.end == left {
      patterns[last.pattern] = nil
      self.last = (last.pattern + [part(right)], right, last.place)
    } else {
      last = ([part(left), part(right)], right, name)
    }
    if let last { patterns[last.pattern] = patterns[last.pattern] ?? last.place }
  }

  /// Ends a file.
  mutating func endFile() { last = nil }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// The definition of a macro.
  struct Macro {
    let range: Range<Int>
    private var parameters: [Range<Int>] = []
    /// Where its text begins.
    let text: Int

    /// Nil if it has no name.
    ///
    /// - Parameter range: the directive.
    init?(_ bytes: Text, _ range: Range<Int>) {
      self.range = range
      var place = bytes[range].firstIndex(of: UInt8(ascii: "#")) ?? range.upperBound
      func skipBlanks() { while place < range.upperBound, isBlank(bytes[place]) { place += 1 } }
      func word() -> Range<Int> {
        let start = place
        while place < range.upperBound, bytes[place].isWordPart { place += 1 }
        return start..<place
      }
      place += 1
      skipBlanks()
      _ = word()
      skipBlanks()
      guard !word().isEmpty else { return nil }
      if place < range.upperBound, bytes[place] == UInt8(ascii: "(") {
        while place < range.upperBound, bytes[place] != UInt8(ascii: ")") {
          let parameter = word()
          if parameter.isEmpty { place += 1 } else { parameters.append(parameter) }
        }
        place += 1
      }
      skipBlanks()
      text = place
    }

    func isParameter(_ word: Range<Int>, of text: Text) -> Bool {
      parameters.contains { text[$0].elementsEqual(text[word]) }
        || text[word].elementsEqual("__VA_ARGS__".utf8)
    }
  }

  // MARK: Names

  var isEmpty: Bool { patterns.isEmpty && affixes.isEmpty }

  /// The place of an operator that may make a name, with arguments that the project has; nil: none does.
  func place(of name: String) -> ProjectWords.Place? {
    let bytes = Array(name.utf8)
    // By first byte: the ends of words that may be arguments.
    let ends =
      bytes.indices.map { start in
        var hash = FNV1a.basis
        return [start]
          + (start..<bytes.count).compactMap { place in
            hash = FNV1a.hash(hash, bytes[place])
            return arguments.contains(hash) ? place + 1 : nil
          }
      } + [[bytes.count]]
    let pasted = patterns.filter { Self.makes(bytes, $0.key, ends) }.map(\.value).min {
      ($0.file, $0.line) < ($1.file, $1.line)
    }
    return pasted ?? affix(of: bytes)
  }

  /// The place of an affix of a name that is a word with affixes.
  private func affix(of name: [UInt8]) -> ProjectWords.Place? {
    guard !affixes.isEmpty else { return nil }
    // By the place where it ends: the last of the affixes that the name begins with; and by the place where it begins.
    var before: [Int: ProjectWords.Place] = [:]
    var behind: [Int: ProjectWords.Place] = [:]
    for place in name.indices where place == 0 || before[place] != nil {
      for end in place + 1..<name.count + 1 {
        if let affix = affixes[FNV1a.hash(of: name[place..<end])] { before[end] = affix }
      }
    }
    for place in name.indices.reversed().map({ $0 + 1 })
    where place == name.count || behind[place] != nil {
      for start in 0..<place {
        if let affix = affixes[FNV1a.hash(of: name[start..<place])] { behind[start] = affix }
      }
    }
    for start in name.indices where start == 0 || before[start] != nil {
      for end in start + 1..<name.count + 1 where end == name.count || behind[end] != nil {
        if start > 0 || end < name.count, stems.contains(FNV1a.hash(of: name[start..<end])) {
          return before[start] ?? behind[end]
        }
      }
    }
    return nil
  }

  private static func makes(_ name: [UInt8], _ pattern: [Part], _ ends: [[Int]]) -> Bool {
    var places: Set<Int> = [0]
    for part in pattern {
      switch part {
      case .text(let text):
        places = Set(
          places.compactMap { name[$0...].starts(with: text) ? $0 + text.count : nil })
      case .any: places = Set(places.flatMap { ends[$0] })
      }
    }
    return places.contains(name.count)
  }
}
