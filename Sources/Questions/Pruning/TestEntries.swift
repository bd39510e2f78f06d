import FirstlightModel
import NeverCalled
import SystemSupport

/// Finds the lines of lists of tests: `RUN_TEST(test_add);`, `{"add", test_add},`, `("testAdd", testAdd),`.
struct TestEntries {
  /// The lines of each file; nil if it cannot be read.
  private var known: [TextBytes: [Substring]?] = [:]

  /// The lines that name a test; nil if some is more than an entry of a list.
  ///
  /// - Parameter files: those with references to the test or with its declarations.
  mutating func places(
    of test: PruneCandidate, in files: Set<TextBytes>
  ) -> [PruneCandidate.Place]? {
    let name = String(test.target.name.prefix(upToAny: "("))
    let declared = Set([test.definition] + test.declarations)
    var found: [PruneCandidate.Place] = []
    for file in files.sorted().map(\.text) {
      guard let lines = lines(of: file) else { return nil }
      for (number, line) in lines.enumerated() where Self.names(in: line).contains(name[...]) {
        let place = PruneCandidate.Place(
          file: file, target: DeclarationTarget(name: test.target.name, line: number + 1))
        if declared.contains(place) || Self.visible([line]) == nil { continue }
        let before = Self.visible(lines[..<number].reversed())?.unicodeScalars.last
        let after = Self.visible(lines[(number + 1)...])?.unicodeScalars.first
        guard Self.isEntry(line, before: before, after: after) else { return nil }
        found.append(place)
      }
    }
    return found
  }

  private mutating func lines(of file: String) -> [Substring]? {
    if let known = known[file] { return known }
    let text = try? TextFile.read(file)
    let lines = text?.lines
    known[file] = lines
    return lines
  }

  // MARK: One line

  /// Whether a line consists of one call or one element, which nothing else needs.
  ///
  /// - Parameters:
  ///   - last: the last character of code above the line.
  ///   - next: the first character of code below it.
  static func isEntry(
    _ line: Substring, before last: Unicode.Scalar?, after next: Unicode.Scalar?
  ) -> Bool {
    let text = visible([line]) ?? ""
    guard isBalanced(text), let end = text.unicodeScalars.last, let last else { return false }
    switch end {
    case ";":
      // A statement of its own, and not the body of a condition or loop.
      guard ";{}".unicodeScalars.contains(last), let first = names(in: text).first,
        !["return", "if", "for", "while", "else", "do", "case", "goto"].contains(first)
      else { return false }
      let call = (text.removing(suffix: ";") ?? text).split(at: "+=", maxSplits: 1).last ?? ""
      return call.ends(with: ")") && !call.containsUTF8("=") && !call.containsUTF8("{")
    case ",": return "{[(,".unicodeScalars.contains(last) && !text.containsUTF8("=")
    default: return last == "," && next.map { "]})".unicodeScalars.contains($0) } ?? false
    }
  }

  private static func isBalanced(_ text: Substring) -> Bool {
    var open: [Unicode.Scalar] = []
    for scalar in text.unicodeScalars {
      switch scalar {
      case "(": open.append(")")
      case "[": open.append("]")
      case "{": open.append("}")
      case ")", "]", "}": guard open.popLast() == scalar else { return false }
      default: break
      }
    }
    return open.isEmpty
  }

  /// The first of these lines with code, without a comment at its end and spaces around it.
  private static func visible(_ lines: some Sequence<Substring>) -> Substring? {
    for line in lines {
      var text = line
      if let comment = text.firstRange(ofUTF8: "//") { text = text[..<comment.lowerBound] }
      if let comment = text.firstRange(ofUTF8: "/*"), text.ends(with: "*/") {
        text = text[..<comment.lowerBound]
      }
      text = text.trimmed
      if !text.isEmpty { return text }
    }
    return nil
  }

  private static func names(in line: Substring) -> [Substring] {
    line.identifiers
  }
}
