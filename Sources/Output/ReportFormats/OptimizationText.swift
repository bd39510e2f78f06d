import StartupComparison
import SymbolOrdering
import TextFormatting

/// What an optimization came to, for people.
package enum OptimizationText {
  /// A flag to keep in one's own build, and what it is for.
  package struct Kept: Sendable {
    package var flags: [String]
    package var purpose: String
    package var price: String

    package init(_ flags: [String], _ purpose: String, price: String = "") {
      self.flags = flags
      self.purpose = purpose
      self.price = price
    }
  }

  /// - Parameters:
  ///   - kept: what to keep in the build.
  ///   - base: what the build needs for these to work.
  ///   - files: what was made: what it is, and where.
  package static func text(
    _ optimization: Optimization, kept: [Kept], base: [String],
    files: [(what: String, path: String)]
  ) -> String {
    let cells = ComparisonCells(comparison: optimization.comparison)
    var text = cells.title + "\n"
    if let warning = cells.warning { text += warning + "\n" }
    text += "  before  \(ComparisonCells.side(optimization.comparison.a))\n"
    text += "  after   \(ComparisonCells.side(optimization.comparison.b))\n\n"
    var table = TextTable([.left, .right, .right, .right, .right, .left])
    table.add(row: ["Metric (median)", "before", "after", "Change", "p", "After is"])
    for row in cells.rows { table.add(row: [row[0], row[1], row[3], row[5], row[6], row[8]]) }
    text += table.text() + "\n"
    for conclusion in cells.conclusions {
      text += conclusion.replacing("B is", with: "After is") + "\n"
    }
    text += "\nWhat was done\n"
    for line in done(optimization) { text += "  \(line)\n" }
    text +=
      "\nKeep these flags in your build, and compile and link with \(base.joined(separator: " "))\n"
    for flag in kept {
      text += "  \(flag.flags.joined(separator: " "))\n      \(flag.purpose)\n"
      if !flag.price.isEmpty { text += "      price: \(flag.price)\n" }
    }
    if !optimization.priced.isEmpty {
      text += "\nNot done without being asked for\n"
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
    return text + list.text()
  }

  private static func done(_ optimization: Optimization) -> [String] {
    let verification = optimization.verification
    let sharing = verification.entries.count {
      if case .sharesSection = $0.fate { true } else { false }
    }
    var lines = [
      "\(CountText.text(verification.entries.count, "function")) that ran in "
        + "\(CountText.text(optimization.recordedRuns, "run")) ordered, "
        + "\(NameReportText.percent(verification.hitRate)) lie in order: "
        + "\(CountText.text(verification.pages, "page")) where "
        + "\(CountText.number(verification.minimumPages)) would hold them"
    ]
    if sharing > 0 {
      lines.append(
        "\(CountText.number(sharing)) of them share a section with others, which no order can part: "
          + "objects compiled without -ffunction-sections (firstlight verify --map lists them)")
    }
    lines.append(
      optimization.isPacked ? "relative relocations packed" : "no relative relocations to pack")
    if let prefetch = optimization.prefetch {
      lines.append(
        "\(CountText.text(prefetch.pageCount, "page")) in "
          + "\(CountText.text(prefetch.ranges.count, "range")) asked for before main")
    }
    return lines
  }
}
