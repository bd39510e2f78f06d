import RunStatistics
import StartupComparison
import TextFormatting

/// What a gate found, for people.
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
      text += "Neither can be shown: that it is above the limit, or that it is not. "
      text +=
        report.old == nil
        ? "--against BINARY takes turns with the old one, which noise moves less; --runs takes more.\n"
        : "--runs takes more; a machine with nothing else to do tells sooner.\n"
    }
    for note in report.notes { text += "note: \(note)\n" }
    return text + legend + "\n"
  }

  /// What the machine makes of the same work now; nil: the same.
  private static func drift(_ result: GateResult) -> String? {
    guard let elapsed = result.drift[.time], let cpuTime = result.drift[.cpuTime],
      [elapsed, cpuTime].contains(where: { abs($0.ratio - 1) > 0.02 })
    else { return nil }
    func bounds(_ drift: RatioEstimate) -> String {
      "\(NumberText.percent(drift.lower - 1)) to \(NumberText.percent(drift.upper - 1))"
    }
    return "Work that is always the same changed by \(bounds(elapsed)) since the baseline was "
      + "written, its CPU time by \(bounds(cpuTime)): "
      + "what that explains is neither held against the program nor for it.\n"
  }

  private static let legend =
    "Between: where the change lies with 95% confidence. Limit: what is allowed."

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
