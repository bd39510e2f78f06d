import FirstlightModel
import SystemSupport

/// Text in GitHub's Markdown (https://github.github.com/gfm), for job summaries and comments.
enum MarkdownText {
  /// Escapes text for a paragraph, a heading or a cell of a table.
  static func escaped(_ text: String) -> String {
    PrintableText.of(text).reduce(into: "") { escaped, character in
      if "\\`*_[]<>&|~#".contains(character) { escaped.append("\\") }
      escaped.append(character)
    }
  }

  /// A code span for a cell of a table. A backslash escapes a bar only there.
  static func codeCell(_ text: String) -> String {
    let text = PrintableText.of(text)
    guard !text.isEmpty else { return "" }
    let longest = text.split { $0 != "`" }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: longest + 1)
    // Readers remove one blank on each side. The blanks separate a backtick from the fence.
    let padding = longest > 0 ? " " : ""
    return fence + padding + text.replacing("|", with: "\\|") + padding + fence
  }

  /// A table, between blank lines. The cells are Markdown already.
  static func table(_ columns: [(head: String, alignment: TextTable.Alignment)], _ rows: [[String]])
    -> String
  {
    func line(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |\n" }
    return "\n" + line(columns.map(\.head))
      + line(columns.map { $0.alignment == .left ? ":--" : "--:" })
      + rows.map(line).joined() + "\n"
  }
}
