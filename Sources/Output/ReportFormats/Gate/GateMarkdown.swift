import StartupReport

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
