/// Finds names of functions in the source of C, C++ or Rust.
enum NamesInSource {
  struct Use: Hashable {
    var name: Substring
    /// Line number, from 1.
    var line: Int
    /// Whether it declares or defines the function.
    var isDeclaration = false
  }

  /// - Parameter wanted: the names to find, without types and parameters.
  static func all(in text: String, of wanted: Set<Substring>) -> [Use] {
    var uses: [Use] = []
    var code = CodeText()
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let bytes = code.code(of: line)
      var place = 0
      while place < bytes.count {
        guard isName(bytes[place]) else {
          place += 1
          continue
        }
        let end = bytes[place...].firstIndex { !isName($0) } ?? bytes.count
        let name = Substring(decoding: bytes[place..<end], as: UTF8.self)
        if wanted.contains(name) {
          let isDeclaration = isDeclaration(bytes[..<place], bytes[end...])
          uses.append(Use(name: name, line: number + 1, isDeclaration: isDeclaration))
        }
        place = end
      }
    }
    return uses
  }

  /// Whether a text can be a name in source.
  static func isName(_ text: Substring) -> Bool {
    text.utf8.allSatisfy(isName) && !(text.first?.isNumber ?? true)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }

  private static let statements: Set<Substring> = [
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

/// Removes comments and string literals from source, line by line.
private struct CodeText {
  private var isComment = false

  mutating func code(of line: Substring) -> [UInt8] {
    let bytes = Array(line.utf8)
    var code: [UInt8] = []
    code.reserveCapacity(bytes.count)
    var place = 0
    func next(_ byte: StaticString) -> Bool {
      place + 1 < bytes.count && bytes[place + 1] == byte.utf8Start[0]
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
        while place < bytes.count, bytes[place] != byte {
          place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
      } else {
        code.append(byte)
      }
      place += 1
    }
    return code
  }
}
