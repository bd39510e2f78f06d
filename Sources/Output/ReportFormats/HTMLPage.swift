import TextFormatting

/// A page that needs nothing else: no network, no other file. Reports and dashboard share it.
package enum HTMLPage {
  /// - Parameters:
  ///   - style: rules after the common ones.
  ///   - header: what stands above `main`; empty: nothing.
  ///   - body: what `main` holds.
  ///   - data: JSON that the script finds in the element `data`.
  ///   - script: empty for a page that needs none.
  package static func text(
    title: String, style: String, header: String = "", body: String, data: String = "null",
    script: String = ""
  ) -> String {
    let scripts =
      script.isEmpty
      ? ""
      : "<script type=\"application/json\" id=\"data\">\(embedded(data))</script>\n"
        + "<script>\(scriptText(script))</script>\n"
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(HTMLText.escaped(title))</title>
      <style>
      \(HTMLStyle.sheet)\(style)</style>
      </head>
      <body>
      \(header)<main>
      \(body)</main>
      \(scripts)</body>
      </html>

      """
  }

  static func scriptText(_ script: String) -> String { "\n" + script }

  /// JSON within a script element, which names in it could end or comment out.
  private static func embedded(_ json: String) -> String {
    json.split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003c")
  }
}

/// What pages with search and tables have in common, in light and in dark.
enum HTMLStyle {
  static let sheet = ResourceText.of(PackageResources.page_css)
}
