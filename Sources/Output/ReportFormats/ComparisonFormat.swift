import FirstlightModel
import StartupReport
import TextFormatting

/// The output formats of a comparison.
package enum ComparisonFormat: String, CaseIterable, Sendable {
  case text, json, html, markdown

  /// - Parameter isColoured: whether verdicts have colours in text output.
  package func text(
    _ comparison: StartupComparison, isColoured: Bool = false
  ) throws(Failure) -> String {
    switch self {
    case .text: ComparisonText.text(comparison, isColoured: isColoured)
    case .json: try JSONForm.pretty(comparison)
    case .html: ComparisonHTML.text(comparison)
    case .markdown: ComparisonMarkdown.text(comparison)
    }
  }
}
