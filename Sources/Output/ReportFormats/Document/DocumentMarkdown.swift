import FirstlightModel
import SystemSupport

/// GitHub's Markdown (https://github.github.com/gfm), for job summaries and comments.
extension Document {
  package var markdown: String {
    var text = ""
    for block in blocks {
      switch block {
      case .title(let title, _): text += "### \(Self.escaped(title))\n\n"
      case .warning(let warning): text += "**\(Self.escaped(warning))**\n\n"
      case .lines(let lines): for line in lines { text += Self.escaped(line) + "\n" }
      case .paragraph(let lines): text += "\n" + lines.map { Self.escaped($0) + "\n" }.joined()
      case .facts(let facts):
        for fact in facts { text += "- \(Self.escaped(fact.label)): \(Self.escaped(fact.text))\n" }
      case .table(let table): text += table.markdown
      case .figure: continue
      }
    }
    return text
  }

  /// Escapes text for a paragraph, a heading or a cell of a table.
  fileprivate static func escaped(_ text: String) -> String {
    PrintableText.of(text).reduce(into: "") { escaped, character in
      if "\\`*_[]<>&|~#".contains(character) { escaped.append("\\") }
      escaped.append(character)
    }
  }

  /// A code span for a cell of a table. A backslash escapes a bar only there.
  fileprivate static func code(_ text: String) -> String {
    let text = PrintableText.of(text)
    guard !text.isEmpty else { return "" }
    let longest = text.split { $0 != "`" }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: longest + 1)
    // Readers remove one blank on each side. The blanks separate a backtick from the fence.
    let padding = longest > 0 ? " " : ""
    return fence + padding + text.replacing("|", with: "\\|") + padding + fence
  }
}

extension Document.Table {
  fileprivate var markdown: String {
    func line(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |\n" }
    let caption = caption.map { "\n#### \(Document.escaped($0))\n" } ?? ""
    guard !rows.isEmpty else { return caption.isEmpty ? "" : caption + "\nNone.\n" }
    return caption + "\n" + line(columns.map(\.head))
      + line(columns.map { $0.kind == .number ? "--:" : ":--" })
      + rows.map { row in
        line(
          zip(columns, row).map { $0.kind == .code ? Document.code($1) : Document.escaped($1) })
      }.joined() + "\n" + notes(on: columns).map { Document.escaped($0) + "\n" }.joined()
  }
}
