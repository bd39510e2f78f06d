import FirstlightModel

/// Facts about a source file's functions that no index has: attributes, and lines.
package struct SourceMarks: Sendable {
  let lines: [Substring]

  package init(_ text: String) { lines = text.sourceLines }

  static func names(_ line: Substring) -> [Substring] {
    line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
      .filter { !($0.first?.isNumber ?? true) }
  }
}
