import FirstlightModel
import StartupReport
import SystemSupport

/// The output formats of a gate's result.
package enum GateFormat: String, CaseIterable, Sendable {
  case text, json, markdown

  /// - Parameter isColoured: whether verdicts have colours in text output.
  package func text(
    _ report: GateReport, isColoured: Bool = false
  ) throws(Failure) -> String {
    switch self {
    case .text: GateText.text(report, isColoured: isColoured)
    case .json: try JSONForm.pretty(report)
    case .markdown: GateMarkdown.text(report)
    }
  }
}

/// The result of a gate, as text.
package enum GateText {
  static func text(_ report: GateReport, isColoured: Bool = false) -> String {
    let cells = GateCells(report: report)
    var text =
      cells.title.coloured(isColoured ? cells.colour : nil) + "\n" + cells.conditions + "\n\n"
    var table = TextTable(GateCells.columns.map(\.alignment))
    table.add(row: GateCells.columns.map(\.head))
    for (row, colour) in zip(cells.rows, cells.colours) {
      table.add(row: row, colour: isColoured ? colour : nil)
    }
    text += table.text() + "\n"
    return text + cells.sentences.map { "\($0)\n" }.joined()
  }

  /// One line about the baseline that was written.
  package static func summary(_ baseline: StartupBaseline, path: String) -> String {
    let time = baseline.sample(.time)
    let faults = baseline.sample(.minorFaults)
    return "wrote \(path): \(CountText.text(time.count, "run")) until \(baseline.until), median "
      + "\(NumberText.decimal(time.median, digits: 2)) ms, "
      + "\(NumberText.decimal(faults.median, digits: 0)) minor faults, "
      + CountText.text(baseline.inventory.libraries.count, "shared library", "shared libraries")
      + ", \(CountText.text(baseline.inventory.initializerCount, "initializer")), "
      + CountText.text(baseline.inventory.relocationCount, "relocation")
  }
}

/// The result of a gate for the summary of a CI job.
enum GateMarkdown {
  static func text(_ report: GateReport) -> String {
    let cells = GateCells(report: report)
    return "### \(MarkdownText.escaped(cells.title))\n\n"
      + "\(MarkdownText.escaped(cells.conditions))\n"
      + MarkdownText.table(GateCells.columns, cells.rows.map { $0.map(MarkdownText.escaped) })
      + cells.sentences.map { "\(MarkdownText.escaped($0))\n" }.joined()
  }
}
