import StartupReport
import TextFormatting

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
