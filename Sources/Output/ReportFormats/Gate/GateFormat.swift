import FirstlightModel
import StartupComparison

/// The forms the result of a gate can take.
package enum GateFormat: String, CaseIterable, Sendable {
  case text, json, markdown

  package func text(_ report: GateReport) throws(Failure) -> String {
    switch self {
    case .text: GateText.text(report)
    case .json: try GateJSON.text(report)
    case .markdown: GateMarkdown.text(report)
    }
  }
}
