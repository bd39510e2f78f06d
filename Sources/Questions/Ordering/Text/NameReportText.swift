import SystemSupport

/// The share of called functions found in the target binary, on one line.
package enum NameReportText {
  package static func text(_ names: NameReport, target: String) -> String {
    var text =
      "hit rate \(NumberText.share(names.hitRate)): \(CountText.number(names.found)) of "
      + "\(CountText.text(names.all, "function")) are in \(target)"
    var parts: [String] = []
    if names.byCloneSuffix > 0 {
      parts.append("\(CountText.number(names.byCloneSuffix)) by another clone suffix")
    }
    if names.folded > 0 {
      parts.append("\(CountText.number(names.folded)) folded into another")
    }
    if !names.gone.isEmpty { parts.append("\(CountText.number(names.gone.count)) missing") }
    if !names.ambiguous.isEmpty {
      parts.append(
        "\(CountText.number(names.ambiguous.count)) unknown: several files have a function of the name"
      )
    }
    if !names.leftOutLocals.isEmpty {
      parts.append(
        "\(CountText.number(names.leftOutLocals.count)) left out: too many local functions share "
          + "the name")
    }
    if !parts.isEmpty { text += "; " + parts.joined(separator: ", ") }
    return text
  }
}
