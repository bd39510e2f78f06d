import StartupReport
import TextFormatting

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
