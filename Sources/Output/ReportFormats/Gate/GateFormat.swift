import FirstlightModel
import StartupReport
import TextFormatting

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
