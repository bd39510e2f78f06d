/// The outermost context in a Swift name: the module, and the type whose member the function is.
package struct SwiftContext: Sendable {
  /// What may follow after the outermost type.
  package enum Extending: Equatable, Sendable {
    /// A member of the type.
    case nothing
    /// A member, or an extension by this module.
    case module(String)
    /// A member, or an extension by a module that the name abbreviates.
    case abbreviated

    package var module: String? { if case .module(let name) = self { name } else { nil } }
  }

  package let module: String
  /// The type's name without its module, as far as it is not abbreviated.
  package let type: String
  package let extending: Extending
}

/// Parses the outermost context at the start of a Swift mangled name (docs/ABI/Mangling.rst of the
/// Swift project).
struct SwiftContextParser {
  private let name: UnsafeBufferPointer<UInt8>
  private var position: Int
  /// Ranges of the words in the identifiers read so far, by number.
  private var words: [Range<Int>] = []
  /// The outermost type's name without its module, as far as it is not abbreviated.
  private(set) var typeName = ""
  private(set) var extending = SwiftContext.Extending.nothing

  init(_ name: UnsafeBufferPointer<UInt8>) {
    self.name = name
    // Skips `$s` or `_$s`.
    position = name.first == UInt8(ascii: "_") ? 3 : 2
  }

  /// The module of the outermost context; nil if the name starts with something else.
  mutating func module() -> String? {
    guard let first = peek() else { return nil }
    switch first {
    case UInt8(ascii: "1")...UInt8(ascii: "9"):
      // A declaration's name must follow; otherwise this is the name of an associated type, which
      // occurs here only in thunks between function types.
      return declaredModule()
    case UInt8(ascii: "0"):
      return declaredModule()
    case UInt8(ascii: "s"):
      position += 1
      readTypes()
      return "Swift"
    case UInt8(ascii: "S"): return standardType()
    default: return nil
    }
  }

  /// Reads a module's name. A declaration's name must follow, or `AA`, which means a type with the
  /// module's own name; otherwise this is the name of an associated type, which occurs here only in
  /// thunks between function types.
  private mutating func declaredModule() -> String? {
    guard let module = identifier(), !module.isEmpty else { return nil }
    guard isDigit(peek()) || peek() == UInt8(ascii: "A") else { return nil }
    readTypes(moduleName: module)
    return module
  }

  /// `So`: imported from C. `Sc` and a letter: concurrency. `S` and a letter: the standard library.
  private mutating func standardType() -> String? {
    guard position + 2 < name.count else { return nil }
    let kind = name[position + 1]
    position += 2
    switch kind {
    case UInt8(ascii: "o"), UInt8(ascii: "C"):
      readTypes()
      return kind == UInt8(ascii: "o") ? "__C" : "__C_Synthesized"
    case UInt8(ascii: "c"):
      guard let type = SwiftStandardTypes.concurrencyName(name[position]) else { return nil }
      position += 1
      typeName = type
    default:
      guard let type = SwiftStandardTypes.name(kind) else { return nil }
      typeName = type
    }
    readTypes()
    return "Swift"
  }

  /// Reads the names of the outermost and nested types (`a`: a type that C's `typedef` names), then the module of a
  /// possible extension: it follows the extended type, and the operator E ends it.
  private mutating func readTypes(moduleName: String = "") {
    // Most names have no extension, and need no types.
    guard name[position...].contains(UInt8(ascii: "E")) else { return }
    var isAbbreviated = false
    while isDigit(peek()) || isModuleName {
      let start = position
      guard let type = isModuleName ? skipModuleName(moduleName) : identifier(), let kind = peek(),
        "VCOPa".utf8.contains(kind)
      else {
        position = start
        break
      }
      position += 1
      isAbbreviated = isAbbreviated || type.isEmpty
      if !isAbbreviated { typeName += typeName.isEmpty ? type : ".\(type)" }
    }
    guard let next = peek(), name[position...].contains(UInt8(ascii: "E")) else { return }
    if next == UInt8(ascii: "A") {
      extending = .abbreviated
    } else if isDigit(next), let module = identifier() {
      extending = module.isEmpty ? .abbreviated : .module(module)
    }
  }

  /// `AA`: the first name to abbreviate, which is the module's.
  private var isModuleName: Bool {
    position + 1 < name.count && name[position] == UInt8(ascii: "A")
      && name[position + 1] == UInt8(ascii: "A")
  }

  private mutating func skipModuleName(_ moduleName: String) -> String? {
    position += 2
    return moduleName
  }

  private func peek() -> UInt8? { position < name.count ? name[position] : nil }

  private func isDigit(_ byte: UInt8?) -> Bool {
    byte.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }

  /// Reads an identifier and fills in its words; the result is empty for Punycode (`00`), nil if
  /// there is no identifier.
  ///
  /// `0` announces words of earlier identifiers: letters, each the number of a word, and a capital
  /// for the last one; then a length and characters, or `0` for the end.
  private mutating func identifier() -> String? {
    var text: [UInt8] = []
    var hasWords = false
    var isPunycode = false
    if peek() == UInt8(ascii: "0") {
      position += 1
      isPunycode = peek() == UInt8(ascii: "0")
      hasWords = !isPunycode
      if isPunycode { position += 1 }
    }
    repeat {
      while hasWords, let letter = peek(), !isDigit(letter) {
        position += 1
        let isLast = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter)
        let number = Int(letter | 0x20) - Int(UInt8(ascii: "a"))
        guard words.indices.contains(number) else { return nil }
        text += name[words[number]]
        if isLast { hasWords = false }
      }
      if !isPunycode, !text.isEmpty || hasWords, peek() == UInt8(ascii: "0") {
        position += 1
        break
      }
      guard let length = natural() else { return nil }
      // Punycode that begins with a digit has a `_` before it.
      if isPunycode, peek() == UInt8(ascii: "_") { position += 1 }
      guard length <= name.count - position else { return nil }
      let piece = position..<position + length
      position += length
      noteWords(of: piece)
      text += name[piece]
    } while hasWords
    return isPunycode ? "" : String(decoding: text, as: UTF8.self)
  }

  /// Words begin at a capital after another kind of character, and at letters after `_`; words of
  /// at least two characters get numbers, up to 26.
  private mutating func noteWords(of piece: Range<Int>) {
    let underscore = UInt8(ascii: "_")
    func isUpper(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    var start: Int?
    var before: UInt8 = 0
    for place in piece.lowerBound...piece.upperBound where words.count < 26 {
      let byte = place < piece.upperBound ? name[place] : 0
      let isEnd = byte == underscore || byte == 0 || (!isUpper(before) && isUpper(byte))
      if let begin = start, isEnd {
        if place - begin >= 2 { words.append(begin..<place) }
        start = nil
      }
      if start == nil, byte != 0, byte != underscore, !isDigit(byte) { start = place }
      before = byte
    }
  }

  private mutating func natural() -> Int? {
    var value = 0
    let start = position
    while let digit = peek(), isDigit(digit) {
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
      position += 1
      guard value < 100_000 else { return nil }
    }
    return position > start ? value : nil
  }
}
