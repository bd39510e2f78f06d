import FleetModel
import HTMLPages
import TextFormatting

/// What all pages share.
enum PageFrame {
  static func page(title: String, body: String) -> String {
    HTMLPage.text(
      title: "\(title) - Firstlight", style: style,
      header: "<header><a href=\"/\">Firstlight</a></header>\n", body: gaps + body)
  }

  /// What the page lacks because a part of the store is away.
  private static var gaps: String {
    (AnswerGaps.current?.lines ?? []).map { "<p><strong>\(HTMLText.escaped($0))</strong></p>\n" }
      .joined()
  }

  private static let style = ResourceText.of(PackageResources.dashboard_css)
}

/// A row of figures with what they mean.
enum FactList {
  static func text(_ facts: [(String, String)]) -> String {
    template.text(["facts": facts.map { ["number": $0.0, "words": $0.1] }])
  }

  private static let template = PageTemplate(PackageResources.facts_mustache)
}
