import StartupReport
import TextFormatting

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
