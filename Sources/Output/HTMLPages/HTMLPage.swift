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
    template.text([
      "title": title, "style": commonStyle + style, "header": header, "body": body,
      "hasScript": !script.isEmpty, "data": script.isEmpty ? nil : embedded(data),
      "script": scriptText(script),
    ])
  }

  /// What the script element of a page with this script holds, to the byte.
  package static func scriptText(_ script: String) -> String { "\n" + script }

  private static let template = PageTemplate(PackageResources.page_mustache)

  /// What pages with search and tables have in common, in light and in dark.
  private static let commonStyle = ResourceText.of(PackageResources.page_css)

  /// JSON within a script element, which names in it could end or comment out.
  private static func embedded(_ json: String) -> String {
    json.split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003c")
  }
}
