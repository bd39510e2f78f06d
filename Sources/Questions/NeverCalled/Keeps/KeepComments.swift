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
    for (index, line) in source.lines.enumerated() {
      let text = line.drop(any: " \t")
      let reason = Self.reason(line)
      if text.begins(with: "//") || text.begins(with: "/*") || text.begins(with: "*") {
        // A reason applies from its comment to the next declaration.
        waiting = reason ?? waiting
      } else if let reason {
        reasons[index + 1] = reason
      } else if let kept = waiting {
        // Attributes may stand between a comment and its declaration, or begin the declaration.
        reasons[index + 1] = kept
        let isAttributeOnly =
          text.begins(with: "@") && !text.containsUTF8("func ") && !text.containsUTF8("var ")
        if !text.isEmpty, !isAttributeOnly { waiting = nil }
      }
    }
  }

  /// Why the function declared on a line is kept; nil without such a comment.
  package func reason(line: Int) -> String? { reasons[line] }

  private static func reason(_ line: Substring) -> String? {
    guard let comment = line.firstRange(ofUTF8: "//") ?? line.firstRange(ofUTF8: "/*"),
      let place = line[comment.upperBound...].firstRange(ofUTF8: mark)
    else { return nil }
    var rest = line[place.upperBound...]
    if let end = rest.firstRange(ofUTF8: "*/") { rest = rest[..<end.lowerBound] }
    let reason = rest.drop(any: " -:\t")
    return reason.isEmpty ? "no reason given" : String(reason.trimmed)
  }
}
