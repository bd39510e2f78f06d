import FirstlightModel
import SystemSupport

/// GitHub's Markdown (https://github.github.com/gfm), for job summaries and comments.
extension Document {
  package var markdown: String {
    var text = ""
    for block in blocks {
      switch block {
      case .title(let title, _): text += "### \(Escaping.markdown(title))\n\n"
      case .warning(let warning): text += "**\(Escaping.markdown(warning))**\n\n"
      case .lines(let lines): for line in lines { text += Escaping.markdown(line) + "\n" }
      case .paragraph(let lines): text += "\n" + lines.map { Escaping.markdown($0) + "\n" }.joined()
      case .facts(let facts):
        for fact in facts {
          text += "- \(Escaping.markdown(fact.label)): \(Escaping.markdown(fact.text))\n"
        }
      case .table(let table): text += table.markdown
      case .figure: continue
      }
    }
    return text
  }
}

extension Document.Table {
  fileprivate var markdown: String {
    func line(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |\n" }
    let caption = caption.map { "\n#### \(Escaping.markdown($0))\n" } ?? ""
    guard !rows.isEmpty else { return caption.isEmpty ? "" : caption + "\nNone.\n" }
    return caption + "\n" + line(columns.map(\.head))
      + line(columns.map { $0.kind == .number ? "--:" : ":--" })
      + rows.map { row in
        line(
          zip(columns, row).map {
            $0.kind == .code ? Escaping.markdownCode($1) : Escaping.markdown($1)
          })
      }.joined() + "\n" + notes(on: columns).map { Escaping.markdown($0) + "\n" }.joined()
  }
}
