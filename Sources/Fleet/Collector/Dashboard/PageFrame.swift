import ReportFormats
import TextFormatting

/// What all pages share.
enum PageFrame {
  static func page(title: String, body: String) -> String {
    HTMLPage.text(
      title: "\(title) - Firstlight", style: style,
      header: "<header><a href=\"/\">Firstlight</a></header>\n", body: body + "\n")
  }

  private static let style = ResourceText.of(PackageResources.dashboard_css)
}

/// A row of figures with what they mean.
enum FactList {
  static func text(_ facts: [(String, String)]) -> String {
    "<ul class=\"facts\">"
      + facts.map {
        "<li><b>\(HTMLText.escaped($0.0))</b><span>\(HTMLText.escaped($0.1))</span></li>"
      }
      .joined() + "</ul>\n"
  }
}
