import FirstlightModel
import NeverCalled
import SystemSupport

/// Finds the lines of lists of tests: `RUN_TEST(test_add);`, `{"add", test_add},`, `("testAdd", testAdd),`.
struct TestEntries {
  /// By file; nil if it cannot be read.
  private var known: [TextBytes: SourceText?] = [:]

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
      guard let source = source(file) else { return nil }
      let lines = (1...source.lineCount).map(source.code)
      for (index, code) in lines.enumerated() where code.identifiers.contains(name[...]) {
        let place = PruneCandidate.Place(
          file: file, target: DeclarationTarget(name: test.target.name, line: index + 1))
        if declared.contains(place) { continue }
        let before = lines[..<index].last { !$0.isEmpty }?.unicodeScalars.last
        let after = lines[(index + 1)...].first { !$0.isEmpty }?.unicodeScalars.first
        guard Self.isEntry(code, before: before, after: after) else { return nil }
        found.append(place)
      }
    }
    return found
  }

  private mutating func source(_ file: String) -> SourceText? {
    if let known = known[file] { return known }
    let source = (try? TextFile.read(file)).map {
      SourceText(Array($0.utf8), SourceLanguage(of: file))
    }
    known[file] = source
    return source
  }

  // MARK: One line

  /// Whether the code of a line consists of one call or one element, which nothing else needs.
  ///
  /// - Parameters:
  ///   - last: the last character of code above the line.
  ///   - next: the first character of code below it.
  static func isEntry(
    _ text: String, before last: Unicode.Scalar?, after next: Unicode.Scalar?
  ) -> Bool {
    guard isBalanced(text), let end = text.unicodeScalars.last, let last else { return false }
    switch end {
    case ";":
      // A statement of its own, and not the body of a condition or loop.
      guard ";{}".unicodeScalars.contains(last), let first = text.identifiers.first,
        !["return", "if", "for", "while", "else", "do", "case", "goto"].contains(first)
      else { return false }
      let call = (text.removing(suffix: ";") ?? text[...]).split(at: "+=", maxSplits: 1).last ?? ""
      return call.ends(with: ")") && !call.containsUTF8("=") && !call.containsUTF8("{")
    case ",": return "{[(,".unicodeScalars.contains(last) && !text.containsUTF8("=")
    default: return last == "," && next.map { "]})".unicodeScalars.contains($0) } ?? false
    }
  }

  private static func isBalanced(_ text: String) -> Bool {
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
}
