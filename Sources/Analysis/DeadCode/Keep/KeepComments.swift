import FirstlightModel

/// The functions that comments in a source file keep: `// firstlight:keep - reason`, at the end of the
/// declaration's line or on a line of its own above it.
package struct KeepComments: Sendable {
  /// Reasons by line of the declaration, counted from 1.
  private var reasons: [Int: String] = [:]

  private static let mark = "firstlight:keep"

  /// - Parameter source: the file's text.
  package init(_ source: String) {
    guard source.containsUTF8("firstlight:keep") else { return }
    var waiting: String?
    for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      let text = line.drop { $0 == " " || $0 == "\t" }
      let reason = Self.reason(line)
      if text.hasPrefix("//") || text.hasPrefix("/*") || text.hasPrefix("*") {
        // A reason applies from its comment to the next declaration.
        waiting = reason ?? waiting
      } else if let reason {
        reasons[index + 1] = reason
      } else if let kept = waiting {
        // Attributes may stand between a comment and its declaration, or begin the declaration.
        reasons[index + 1] = kept
        let isAttributeOnly =
          text.hasPrefix("@") && !text.contains("func ") && !text.contains("var ")
        if !text.isEmpty, !isAttributeOnly { waiting = nil }
      }
    }
  }

  /// Why the function declared on a line is kept; nil without such a comment.
  package func reason(line: Int) -> String? { reasons[line] }

  private static func reason(_ line: Substring) -> String? {
    guard let comment = line.firstRange(of: "//") ?? line.firstRange(of: "/*"),
      let place = line[comment.upperBound...].firstRange(of: mark)
    else { return nil }
    var rest = line[place.upperBound...]
    if let end = rest.firstRange(of: "*/") { rest = rest[..<end.lowerBound] }
    let reason = rest.drop { $0 == " " || $0 == "-" || $0 == ":" || $0 == "\t" }
    return reason.isEmpty ? "no reason given" : String(reason).trimmed
  }
}

extension String {
  var trimmed: String {
    var text = self[...]
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
