import FirstlightModel
import StartupComparison

/// The forms a comparison can take.
package enum ComparisonFormat: String, CaseIterable, Sendable {
  case text, json, html, markdown

  package func text(_ comparison: StartupComparison) throws(Failure) -> String {
    switch self {
    case .text: ComparisonText.text(comparison)
    case .json: try ComparisonJSON.text(comparison)
    case .html: ComparisonHTML.text(comparison)
    case .markdown: ComparisonMarkdown.text(comparison)
    }
  }
}
