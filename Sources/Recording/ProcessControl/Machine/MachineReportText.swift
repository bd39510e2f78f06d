import FirstlightModel
import SystemSupport

/// The capabilities of a machine, as a table.
package enum MachineReportText {
  /// - Parameter coloured: whether missing capabilities have a colour.
  package static func text(_ report: MachineReport, coloured: Bool) -> String {
    let facts = report.facts
    var text =
      "firstlight \(ToolVersion.text) on \(facts.host.kernel), \(facts.host.architecture), "
      + "glibc \(facts.libc), \(CountText.text(facts.host.cores, "CPU"))\n"
    let width = report.findings.map(\.title.count).max() ?? 0
    for section in report.sections {
      text += "\n\(section.title)\n"
      for finding in section.findings { text += lines(finding, width: width, coloured) }
    }
    return text + "\n" + summary(report) + "\n"
  }

  private static let columns = 79

  private static func lines(_ finding: MachineFinding, width: Int, _ coloured: Bool) -> String {
    let title = finding.title + String(repeating: " ", count: width - finding.title.count)
    let word = Self.word(finding.state)
    var text = "  \(word.coloured(coloured ? colour(finding.state) : nil))"
    text += String(repeating: " ", count: 8 - word.count) + title + "  "
    text += Escaping.terminal(finding.value) + "\n"
    if !finding.cost.isEmpty { text += wrapped("cost: ", finding.cost) }
    if !finding.advice.isEmpty { text += wrapped("do:   ", finding.advice) }
    return text
  }

  private static func word(_ state: MachineFinding.State) -> String {
    switch state {
    case .available: "ok"
    case .limited: "limited"
    case .missing: "missing"
    case .note: "-"
    }
  }

  private static func colour(_ state: MachineFinding.State) -> TextColour? {
    switch state {
    case .available: .good
    case .limited: .doubtful
    case .missing: .bad
    case .note: nil
    }
  }

  /// Wraps text at words, below the title; `label` begins the first line.
  private static func wrapped(_ label: String, _ text: String) -> String {
    let indent = String(repeating: " ", count: 10)
    var lines = [indent + label]
    for word in Escaping.terminal(text).split(at: " ") {
      if lines[lines.count - 1].count + word.count > columns {
        lines.append(indent + String(repeating: " ", count: label.count))
      }
      lines[lines.count - 1] += word + " "
    }
    return lines.map { String($0.dropLast()) + "\n" }.joined()
  }

  private static func summary(_ report: MachineReport) -> String {
    let missing = report.findings.count { $0.state == .missing }
    let limited = report.findings.count { $0.state == .limited }
    guard missing + limited > 0 else { return "Nothing is missing." }
    return "\(missing) missing, \(limited) limited; Documentation/Platforms.md explains each."
  }
}

/// The capabilities of a machine, as JSON.
extension MachineReport: JSONObjectConvertible {
  package var jsonObject: JSONObject {
    let host = facts.host
    let findings: [JSONObject] = sections.flatMap { section in
      section.findings.map {
        [
          "id": $0.id, "section": section.title, "title": $0.title, "state": $0.state.rawValue,
          "value": $0.value, "cost": $0.cost.isEmpty ? nil : $0.cost,
          "advice": $0.advice.isEmpty ? nil : $0.advice,
        ]
      }
    }
    return [
      "version": ToolVersion.text, "kernel": host.kernel, "architecture": host.architecture,
      "libc": facts.libc, "folder": facts.folder.path, "cores": host.cores, "findings": findings,
    ]
  }
}
