import FirstlightModel
import StartupReport
import SymbolOrdering
import SystemSupport

/// The result of an optimization, as text.
package enum OptimizationText {
  /// An opt-in option that was applied.
  package struct Applied: Sendable {
    package var name: String
    package var gain: String
    package var price: String

    package init(_ name: String, _ gain: String, price: String) {
      self.name = name
      self.gain = gain
      self.price = price
    }
  }

  /// - Parameters:
  ///   - files: the written files, with a label for each.
  ///   - check: the command that lists the functions that the order did not move.
  ///   - command: the command that builds the program from now on.
  ///   - isColoured: whether verdicts have colours.
  package static func text(
    _ optimization: Optimization, applied: [Applied] = [], files: [(what: String, path: String)],
    check: String, command: String, isColoured: Bool = false
  ) -> String {
    let cells = ComparisonCells(comparison: optimization.comparison)
    let gain = StartupGain(optimization.comparison)
    var text = cells.warning.map { $0.coloured(isColoured ? .bad : nil) + "\n" } ?? ""
    text += verdict(gain).coloured(isColoured ? colour(gain.verdict) : nil) + "\n"
    text += cells.title + "\n"
    text += "  before  \(ComparisonCells.side(optimization.comparison.a))\n"
    text += "  after   \(ComparisonCells.side(optimization.comparison.b))\n\n"
    var table = TextTable([.left, .right, .right, .right, .right, .left])
    table.add(row: ["Metric (median)", "before", "after", "Change", "p", "After is"])
    for (row, colour) in zip(cells.rows, cells.colours) {
      table.add(
        row: [row[0], row[1], row[3], row[5], row[6], row[8]], colour: isColoured ? colour : nil)
    }
    text += table.text() + "\n"
    for conclusion in cells.conclusions {
      text += conclusion.replacing("B is", with: "After is") + "\n"
    }
    for line in reasons(optimization) { text += line + "\n" }
    text += "\nChanges\n"
    for line in changes(optimization, applied, check: check) { text += "  \(line)\n" }
    text += "\nRule: the new build is recommended if \(StartupGain.rule).\n"
    if !optimization.priced.isEmpty {
      text += "\nOpt-in options\n"
      for lever in optimization.priced {
        text +=
          "  --also \(lever.name)\n      \(lever.gain): up to \(CountText.text(lever.pages, "page"))\n"
          + "      price: \(lever.price)\n"
      }
    }
    text += "\n"
    var list = TextTable([.left, .left])
    for file in files { list.add(file.what, file.path) }
    for line in cells.conditions { list.add(line.label, line.text) }
    return text + list.text() + "\n"
      + recipe(optimization, applied, isRecommended: gain.verdict == .worthIt) + "\n\(command)\n"
  }

  /// The result in the first line.
  private static func verdict(_ gain: StartupGain) -> String {
    func names(_ rows: [StartupComparison.Row]) -> String {
      rows.map { row in
        row.metric.title + (row.change.map { " " + NumberText.percent($0) } ?? "")
      }.joined(separator: ", ")
    }
    let losses = names(gain.losses)
    let isDoubtful = gain.losses.contains { $0.verdict != .higher }
    let more = isDoubtful ? " That may be chance: measure again with more --runs." : ""
    return switch gain.verdict {
    case .worthIt: "WORTH IT: \(names(gain.gains))."
    case .mixed:
      "MIXED RESULT: lower in \(names(gain.gains)), but higher in \(losses). Nothing is recommended."
        + more
    case .none:
      "NO GAIN worth a change: keep your build as it is."
        + (losses.isEmpty ? "" : " Higher in \(losses).")
    }
  }

  private static func colour(_ verdict: StartupGain.Verdict) -> TextColour? {
    switch verdict {
    case .worthIt: .good
    case .mixed: .doubtful
    case .none: nil
    }
  }

  /// Known reasons why no time was gained; empty if time was gained, or was not compared.
  private static func reasons(_ optimization: Optimization) -> [String] {
    let time = optimization.comparison.rows.first { $0.metric == .time }
    guard let time, time.verdict == .higher || (time.verdict != .lower && time.shift != nil) else {
      return []
    }
    let result = time.verdict == .higher ? "No time was gained" : "No gain of time was measured"
    let libraries = optimization.libraries
    let ofSwift = libraries.filter { $0.hasPrefix("libswift") || $0.hasPrefix("libFoundation") }
    var lines: [String] = []
    if libraries.count > 3 {
      lines.append(
        "\(result): its start loads \(CountText.text(libraries.count, "shared library", "shared libraries")), "
          + "which no order of its own functions makes cheaper (firstlight libraries shows each).")
    } else {
      lines.append(
        "\(result): its start touches "
          + "\(CountText.text(optimization.verification.pages, "page")) of its own functions "
          + "(firstlight launch shows what takes its time).")
    }
    if !ofSwift.isEmpty {
      lines.append(
        "\(CountText.number(ofSwift.count)) of them are Swift's: build with --static-swift-stdlib, then "
          + "optimize again.")
    }
    return lines
  }
}
