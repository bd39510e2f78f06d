import FirstlightModel

/// Finds names of functions in the source of C, C++ or Rust.
enum NamesInSource {
  struct Use: Hashable {
    var name: Substring
    /// Line number, from 1.
    var line: Int
    /// Whether it declares or defines the function.
    var isDeclaration = false
    /// Whether it is in the body of a macro, or in another directive that may use it.
    var isInMacro = false
    /// Whether a directive only asks for a macro of the name, or defines one.
    var isMacroName = false
    /// Whether it begins a declaration, unless a body has its line: the line begins without a space, and
    /// only words, types and other parentheses precede it.
    var isFileScope = false
  }

  /// - Parameter wanted: the names to find, without types and parameters.
  static func all(in text: String, of wanted: Set<Substring>) -> [Use] {
    var uses: [Use] = []
    var code = CodeText()
    // The word of the current directive, and whether the line continues one.
    var directive: Substring?
    // The beginning of a name that the next line continues.
    var begunName: ArraySlice<UInt8> = []
    for (number, line) in text.sourceLines.enumerated() {
      let bytes = begunName + code.code(of: line)
      begunName = bytes.last == UInt8(ascii: "\\") ? lastName(bytes.dropLast()) : []
      if line.containsUTF8("asm") {
        // An assembler's label gives a function another name, for the linker.
        for name in literals(line) where wanted.contains(name) {
          uses.append(Use(name: name, line: number + 1, isInMacro: true))
        }
      }
      let begun = self.directive(bytes)
      directive = directive ?? begun?.word
      defer { if bytes.last != UInt8(ascii: "\\") { directive = nil } }
      var place = bytes.startIndex
      while place < bytes.endIndex {
        guard isName(bytes[place]) else {
          place += 1
          continue
        }
        let end = bytes[place...].firstIndex { !isName($0) } ?? bytes.endIndex
        let name = Substring(decoding: bytes[place..<end], as: UTF8.self)
        if wanted.contains(name) {
          let (before, after) = (bytes[..<place], bytes[end...])
          uses.append(
            Use(
              name: name, line: number + 1, isDeclaration: isDeclaration(before, after),
              isInMacro: directive != nil,
              isMacroName: place == begun?.defined || directive.map(conditions.contains) == true,
              isFileScope: isFileScope(before, after)))
        }
        place = end
      }
    }
    return uses
  }

  /// String literals in double quotes.
  private static func literals(_ line: Substring) -> [Substring] {
    let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
    return stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
  }

  private static func lastName(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.lastIndex { !isName($0) }.map { line[($0 + 1)...] } ?? line
  }

  private static let conditions: Set<Substring> = [
    "if", "ifdef", "ifndef", "elif", "undef", "include", "error", "warning", "line",
  ]

  /// `define` of `# define NAME`, and the place of the name; nil if a line is no directive.
  private static func directive(_ line: ArraySlice<UInt8>) -> (word: Substring, defined: Int?)? {
    func end(_ start: Int, _ fits: (UInt8) -> Bool) -> Int {
      line[start...].firstIndex { !fits($0) } ?? line.endIndex
    }
    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let mark = end(line.startIndex, isSpace)
    guard mark < line.endIndex, line[mark] == UInt8(ascii: "#") else { return nil }
    let start = end(mark + 1, isSpace)
    let after = end(start, isName)
    let word = Substring(decoding: line[start..<after], as: UTF8.self)
    return (word, word == "define" ? end(after, isSpace) : nil)
  }

  /// The code of each line, with the lines that continue it.
  static func logicalLines(of text: String) -> [[UInt8]] {
    var code = CodeText()
    var lines: [[UInt8]] = []
    var isContinued = false
    for line in text.sourceLines {
      var bytes = code.code(of: line)
      let goesOn = bytes.last == UInt8(ascii: "\\")
      if goesOn { bytes.removeLast() }
      if isContinued { lines[lines.count - 1] += bytes } else { lines.append(bytes) }
      isContinued = goesOn
    }
    return lines
  }

  /// Whether a text can be a name in source.
  static func isName(_ text: Substring) -> Bool {
    text.utf8.allSatisfy(isName) && !(text.first?.isNumber ?? true)
  }

  static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }

  static let statements: Set<Substring> = [
    "return", "else", "case", "throw", "delete", "goto", "new", "not", "do", "co_await",
    "co_return", "co_yield", "in", "await", "sizeof", "typeof", "match", "move", "and", "or",
  ]

  /// Whether a name is declared: only words of a type precede it, and parentheses follow.
  private static func isDeclaration(_ before: ArraySlice<UInt8>, _ after: ArraySlice<UInt8>) -> Bool
  {
    guard after.first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "("),
      let last = before.last, " \t*&".utf8.contains(last)
    else { return false }
    guard before.allSatisfy({ isName($0) || " \t*&<>:".utf8.contains($0) }) else { return false }
    let words = before.split { !isName($0) }.map { Substring(decoding: $0, as: UTF8.self) }
    return !words.isEmpty && !words.contains(where: statements.contains)
  }
}

extension NamesInSource {
  /// `int f(`, `API(int) f(`, `API int (f)(` and `f(` at the beginning of a line; after a space, only `API int f(`.
  private static func isFileScope(
    _ before: ArraySlice<UInt8>, _ after: ArraySlice<UInt8>
  ) -> Bool {
    var (before, after) = (before, after)
    if before.last == UInt8(ascii: "("), after.first == UInt8(ascii: ")"), before.count > 1 {
      before.removeLast()
      after.removeFirst()
    }
    guard after.first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "(") else { return false }
    let words = before.split { !isName($0) }.map { Substring(decoding: $0, as: UTF8.self) }
    guard !words.contains(where: statements.contains) else { return false }
    if let first = before.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
      let type = before.prefix { isName($0) || " \t".utf8.contains($0) }
      return type.split { !isName($0) }.count > 1
        && before.allSatisfy { isName($0) || " \t*".utf8.contains($0) }
    }
    var depth = 0
    for byte in before {
      guard isName(byte) || " \t*()\"".utf8.contains(byte) else { return false }
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
    }
    return depth == 0
  }
}

/// Removes comments and string literals from source, line by line.
private struct CodeText {
  private var isComment = false
  /// Whether the line before ended within a string.
  private var isText = false

  mutating func code(of line: Substring) -> [UInt8] {
    let bytes = Array(line.utf8)
    var code: [UInt8] = []
    code.reserveCapacity(bytes.count)
    var place = 0
    func next(_ byte: StaticString) -> Bool {
      place + 1 < bytes.count && bytes[place + 1] == byte.utf8Start[0]
    }
    func skipText() {
      while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
        place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
      }
      isText = place > bytes.count
    }
    if isText {
      skipText()
      place += 1
    }
    while place < bytes.count {
      let byte = bytes[place]
      if isComment {
        if byte == UInt8(ascii: "*"), next("/") {
          isComment = false
          place += 1
        }
      } else if byte == UInt8(ascii: "/"), next("/") {
        break
      } else if byte == UInt8(ascii: "/"), next("*") {
        isComment = true
        place += 1
      } else if byte == UInt8(ascii: "\"") {
        code.append(byte)
        place += 1
        skipText()
      } else if byte == UInt8(ascii: "'"), let length = Self.letter(bytes[place...]) {
        code += [byte, byte]
        place += length - 1
      } else {
        code.append(byte)
      }
      place += 1
    }
    return code
  }

  /// The length of a literal of one letter, such as `'"'`; nil for a quote of another kind, as in Rust's `'a`.
  private static func letter(_ bytes: ArraySlice<UInt8>) -> Int? {
    let isEscaped = bytes.dropFirst().first == UInt8(ascii: "\\")
    let end = bytes.dropFirst(isEscaped ? 3 : 2).firstIndex(of: UInt8(ascii: "'"))
    return end.map { $0 - bytes.startIndex + 1 }.flatMap {
      $0 == 3 || isEscaped && $0 <= 6 ? $0 : nil
    }
  }
}
