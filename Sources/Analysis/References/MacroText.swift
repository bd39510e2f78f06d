/// The tokens of a C file.
struct MacroText {
  var definitions: [(name: Substring, body: ArraySlice<Substring>, hasParameters: Bool)] = []
  /// The bodies of macros, each of which may call others with its own arguments, and the code.
  var runs: [[Substring]] = []

  init(_ text: String) {
    var code: [Substring] = []
    for line in NamesInSource.logicalLines(of: text) {
      let tokens = Self.tokens(line)
      guard tokens.first == "#" else {
        code += tokens
        continue
      }
      guard tokens.count > 2, tokens[1] == "define" else { continue }
      // A parenthesis after a space belongs to the body.
      let isCall = String(decoding: line, as: UTF8.self).contains("\(tokens[2])(")
      definitions.append((tokens[2], tokens[3...], isCall))
      runs.append(Array(tokens[3...]))
    }
    runs.append(code)
  }

  static func arguments(_ tokens: ArraySlice<Substring>) -> ArraySlice<Substring>? {
    guard tokens.first == "(" else { return nil }
    var depth = 0
    let end = tokens.firstIndex { token in
      depth += token == "(" ? 1 : token == ")" ? -1 : 0
      return depth == 0
    }
    return tokens[..<(end ?? tokens.endIndex)]
  }

  /// Whether a name looks like a macro's: it has no small letters.
  static func isMacroName(_ name: Substring) -> Bool {
    name.utf8.count > 1 && isWord(name)
      && name.utf8.allSatisfy { !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0) }
  }

  static func isWord(_ token: Substring) -> Bool {
    token.utf8.first.map(NamesInSource.isName) ?? false
  }

  private static func tokens(_ line: [UInt8]) -> [Substring] {
    var tokens: [Substring] = []
    var place = 0
    while place < line.count {
      let start = place
      if NamesInSource.isName(line[place]) {
        while place < line.count, NamesInSource.isName(line[place]) { place += 1 }
      } else if line[place...].starts(with: "##".utf8) {
        place += 2
      } else {
        place += 1
        if line[start] == UInt8(ascii: " ") || line[start] == UInt8(ascii: "\t") { continue }
      }
      tokens.append(Substring(decoding: line[start..<place], as: UTF8.self))
    }
    return tokens
  }
}
