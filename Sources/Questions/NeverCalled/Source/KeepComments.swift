import FirstlightModel

/// The functions that comments in a source file keep: `// firstlight:keep - reason`, at the end of a line of the
/// declaration or on a line of its own above it.
package struct KeepComments: Sendable {
  private let source: SourceText
  /// Reasons by line of the comment.
  private var reasons: [Int: String] = [:]

  package init(_ source: SourceText) {
    self.source = source
    for piece in source.pieces where piece.kind == .comment {
      let text = String(decoding: source.bytes[piece.range], as: UTF8.self)
      guard let mark = text.firstRange(ofUTF8: "firstlight:keep") else { continue }
      let place =
        piece.range.lowerBound + text.utf8.distance(from: text.startIndex, to: mark.lowerBound)
      var rest = text[mark.upperBound...].prefix(upToAny: "\n")
      if let end = rest.firstRange(ofUTF8: "*/") { rest = rest[..<end.lowerBound] }
      let reason = rest.drop(any: " -:\t").trimmed
      reasons[source.line(of: place)] = reason.isEmpty ? "no reason given" : String(reason)
    }
  }

  /// Why the function declared on a line is kept; nil without such a comment.
  package func reason(line: Int) -> String? {
    guard !reasons.isEmpty, line > 0, line <= source.lineCount else { return nil }
    let first = source.firstLine(ofDeclarationAt: line)
    var number = line
    while number > 0, number >= first || source.code(ofLine: number).isEmpty {
      if let reason = reasons[number] { return reason }
      number -= 1
    }
    return nil
  }
}
