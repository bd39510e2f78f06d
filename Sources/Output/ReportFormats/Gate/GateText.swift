import RunStatistics
import StartupComparison
import TextFormatting

/// The result of a gate, as text.
package enum GateText {
  package static func text(_ report: GateReport) -> String {
    let cells = GateCells(report: report)
    var text = cells.title + "\n" + cells.conditions + "\n\n"
    var table = TextTable([.left, .right, .right, .right, .right, .right, .left])
    table.add(row: GateCells.head)
    for row in cells.rows { table.add(row: row) }
    text += table.text() + "\n"
    if let drift = drift(report.result) { text += drift }
    if report.result.outcome == .tooNoisy {
      text +=
        report.old == nil
        ? "Inconclusive. Raise --runs, or use --against BINARY, which noise affects less.\n"
        : "Inconclusive. Raise --runs, or use a machine with less other load.\n"
    }
    for note in report.notes { text += "note: \(note)\n" }
    return text + legend + "\n"
  }

  /// The change of the machine's speed since the baseline; nil: none.
  private static func drift(_ result: GateResult) -> String? {
    guard let elapsed = result.drift[.time], let cpuTime = result.drift[.cpuTime],
      [elapsed, cpuTime].contains(where: { abs($0.ratio - 1) > 0.02 })
    else { return nil }
    func bounds(_ drift: RatioEstimate) -> String {
      "\(NumberText.percent(drift.lower - 1)) to \(NumberText.percent(drift.upper - 1))"
    }
    return
      "The reference workload's time changed by \(bounds(elapsed)) since the baseline, its CPU "
      + "time by \(bounds(cpuTime)); this change of the machine is allowed for.\n"
  }

  private static let legend =
    "Between: 95% confidence interval of the change. Limit: largest allowed change."

  /// One line on a baseline that was written.
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
