import FirstlightModel
import StartupReport
import SystemSupport

/// The output formats of a comparison.
package enum ComparisonFormat: String, CaseIterable, Sendable {
  case text, json, html, markdown

  /// - Parameter isColoured: whether verdicts have colours in text output.
  package func text(
    _ comparison: StartupComparison, isColoured: Bool = false
  ) throws(Failure) -> String {
    switch self {
    case .text: ComparisonText.text(comparison, isColoured: isColoured)
    case .json: try JSONForm.pretty(comparison)
    case .html: ComparisonHTML.text(comparison)
    case .markdown: ComparisonMarkdown.text(comparison)
    }
  }
}

/// A comparison of two start-ups, as text.
package enum ComparisonText {
  /// - Parameter isColoured: whether verdicts have colours.
  package static func text(
    _ comparison: StartupComparison, isColoured: Bool = false
  ) -> String {
    let cells = ComparisonCells(comparison: comparison)
    var text = cells.title + "\n"
    if let warning = cells.warning { text += warning.coloured(isColoured ? .bad : nil) + "\n" }
    text += "  A  \(ComparisonCells.side(comparison.a))\n"
    text += "  B  \(ComparisonCells.side(comparison.b))\n\n"
    var table = TextTable([.left] + Array(repeating: .right, count: 7) + [.left])
    table.add(row: ComparisonCells.head)
    for (row, colour) in zip(cells.rows, cells.colours) {
      table.add(row: row, colour: isColoured ? colour : nil)
    }
    text += table.text() + "\n"
    for conclusion in cells.conclusions { text += conclusion + "\n" }
    text += ComparisonCells.legend + "\n\n"
    let sections = cells.sectionRows
    if !sections.isEmpty {
      var table = TextTable([.left, .right, .right, .right, .right])
      table.add(row: ComparisonCells.sectionHead)
      for row in sections { table.add(row: row) }
      text += "4 KiB pages of the files, by section\n" + table.text() + "\n"
    }
    var conditions = TextTable([.left, .left])
    for line in cells.conditions { conditions.add(line.label, line.text) }
    return text + conditions.text()
  }
}

/// A comparison of two start-ups for the summary of a CI job.
enum ComparisonMarkdown {
  static func text(_ comparison: StartupComparison) -> String {
    let cells = ComparisonCells(comparison: comparison)
    var text = "### \(MarkdownText.escaped(cells.title))\n\n"
    if let warning = cells.warning { text += "**\(MarkdownText.escaped(warning))**\n\n" }
    for (name, side) in [("A", comparison.a), ("B", comparison.b)] {
      text += "- \(name): \(MarkdownText.escaped(ComparisonCells.side(side)))\n"
    }
    text += table(ComparisonCells.head, cells.rows, lastIsText: true)
    for conclusion in cells.conclusions { text += "\(MarkdownText.escaped(conclusion))\n" }
    text += "\n\(MarkdownText.escaped(ComparisonCells.legend))\n"
    let sections = cells.sectionRows
    text += "\n"
    if !sections.isEmpty {
      text += "4 KiB pages of the files, by section:\n"
      text += table(ComparisonCells.sectionHead, sections, lastIsText: false)
    }
    for line in cells.conditions {
      text += "- \(line.label): \(MarkdownText.escaped(line.text))\n"
    }
    return text
  }

  /// All columns but the first have numbers. The last column may have text instead.
  private static func table(_ head: [String], _ rows: [[String]], lastIsText: Bool) -> String {
    let columns = head.indices.map { index in
      let isText = index == 0 || (lastIsText && index == head.count - 1)
      return (head: head[index], alignment: isText ? TextTable.Alignment.left : .right)
    }
    return MarkdownText.table(columns, rows.map { $0.map(MarkdownText.escaped) })
  }
}
