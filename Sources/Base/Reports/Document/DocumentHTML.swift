import SystemSupport

extension Document {
  /// The contents of a page's `main`.
  package var html: HTML {
    let parts = blocks.map { block -> HTML in
      switch block {
      case .title(let title, _): "<h1>\(title)</h1>\n"
      case .warning(let warning): "<p class=\"warning\">\(warning)</p>\n"
      case .lines(let lines), .paragraph(let lines):
        lines.isEmpty
          ? "" : "<div class=\"result\">\n\(lines.map { "<p>\($0)</p>\n" })</div>\n"
      case .facts(let facts):
        "<dl>\n\(facts.map { "<dt>\($0.label)</dt><dd>\($0.text)</dd>\n" })</dl>\n"
      case .table(let table): table.html
      case .figure(let figure): figure
      }
    }
    return "\(parts)"
  }

  /// A self-contained page.
  package func page(
    title: String, style: String, data: String = "null", script: String = ""
  ) -> String {
    HTMLPage.text(title: title, style: style, body: html, data: data, script: script)
  }
}

extension Document.Table {
  fileprivate var html: HTML {
    HTMLTable.html(
      caption: caption ?? "", head: columns.map(\.head), rows: rows,
      leftColumns: Set(columns.indices.filter { columns[$0].kind != .number }),
      rowClass: { index in
        if hasSum, index == rows.count - 1 { return "sum" }
        return switch index < colours.count ? colours[index] : nil {
        case .good: "good"
        case .bad: "bad"
        case .doubtful, nil: ""
        }
      }, note: notes(on: columns).isEmpty ? nil : notes(on: columns).joined(separator: " "))
  }
}
