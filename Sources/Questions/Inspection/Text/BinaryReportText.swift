import FirstlightModel
import SystemSupport

/// A report on a binary's start-up costs, as text.
package enum BinaryReportText {
  package static func text(_ report: BinaryReport) -> String {
    var text = head(report.facts) + "\nStart-up costs, worst first (pages of 4 KiB)\n"
    for finding in report.findings { text += "\n" + self.text(finding) }
    return text + "\n" + sections(report.facts)
  }

  private static func head(_ facts: BinaryFacts) -> String {
    "\(facts.path)\n"
      + "  \(linkage(facts)), \(facts.architecture), \(CountText.bytes(facts.fileSize)), "
      + (facts.buildID.map { "build id \($0.short)" } ?? "no build id") + "\n"
  }

  static func linkage(_ facts: BinaryFacts) -> String {
    guard facts.kind == .executable else { return "shared library" }
    let independent = facts.isPositionIndependent
    if facts.interpreter == nil { return independent ? "static PIE" : "static executable" }
    return (independent ? "dynamic PIE" : "dynamic executable, not PIE")
      + (facts.dynamic.bindsNow ? ", binds at start" : ", binds when called")
  }

  private static func text(_ finding: Finding) -> String {
    var text = "\(cost(finding.cost)): \(finding.title)\n"
    var table = TextTable([.left, .right])
    var notes = TextTable([.left, .left])
    for detail in finding.details {
      switch detail.value {
      case .count(let count): table.add(detail.label, CountText.number(count))
      case .pages(let pages): table.add(detail.label, CountText.text(pages, "page"))
      case .bytes(let bytes): table.add(detail.label, CountText.bytes(bytes))
      case .text(let value): notes.add(detail.label, value)
      case .names(let names): notes.add(detail.label, list(names))
      }
    }
    text += table.text(indent: "  ") + notes.text(indent: "  ")
    if !finding.advice.isEmpty { text += "  -> \(finding.advice)\n" }
    if !finding.price.isEmpty { text += "     price: \(finding.price)\n" }
    return text
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(12).joined(separator: ", ")
      + (names.count > 12 ? " and \(CountText.number(names.count - 12)) more" : "")
  }

  private static func cost(_ cost: Finding.Cost) -> String {
    switch cost {
    case .always(let pages): CountText.text(pages, "page")
    case .upTo(let pages): "up to \(CountText.text(pages, "page"))"
    case .disk(let bytes): "\(CountText.bytes(bytes)) of disk"
    case .none: "note"
    }
  }

  private static func sections(_ facts: BinaryFacts) -> String {
    var table = TextTable([.left, .right, .right, .left])
    table.add("Largest sections", "Bytes", "File pages", "")
    let loaded = facts.sections.filter { $0.isLoaded && $0.size > 0 }
    for section in loaded.sorted(by: { $0.size > $1.size }).prefix(12) {
      let kind = section.isExecutable ? "code" : section.isWritable ? "writable" : "read only"
      table.add(
        section.name, CountText.number(Int(clamping: section.size)),
        CountText.number(section.filePages().count), kind)
    }
    return table.text()
  }
}
