import FirstlightModel
import SystemSupport

/// A self-contained page: no network, no other file. Reports and dashboard share it.
package enum HTMLPage {
  /// - Parameters:
  ///   - style: rules after the common ones.
  ///   - header: the part above `main`; nil: nothing.
  ///   - body: the contents of `main`.
  ///   - data: JSON for the script, in the element `data`.
  ///   - script: empty for a page without a script.
  package static func text(
    title: String, style: String, header: HTML? = nil, body: HTML, data: String = "null",
    script: String = ""
  ) -> String {
    let scripts: HTML = """
      <script type="application/json" id="data">\(HTML(markup: Escaping.scriptData(json: data)))</script>
      <script>\(HTML(markup: scriptText(script)))</script>

      """
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <style>
      \(HTML(markup: commonStyle + style))</style>
      </head>
      <body>
      \(header)<main>
      \(body)</main>
      \(script.isEmpty ? nil : scripts)</body>
      </html>

      """
    return page.text
  }

  /// The exact contents of the script element of a page with this script.
  package static func scriptText(_ script: String) -> String { "\n" + script }

  /// The common style of pages with search and tables, in light and in dark.
  private static let commonStyle = ResourceText.of(PackageResources.page_css)
}

/// A table of text and numbers, or a heading that says that there are no rows.
package enum HTMLTable {
  /// The first cell of each row names the row. The other cells, except in `leftColumns`, are numbers.
  /// - Parameter note: the text below the table; nil: nothing.
  package static func html(
    caption: String, head: [String], rows: [[String]], leftColumns: Set<Int> = [],
    rowClass: (Int) -> String = { _ in "" }, note: String? = nil
  ) -> HTML {
    let note: HTML? = note.map { "<p class=\"small\">\($0)</p>\n" }
    guard !rows.isEmpty else { return "<h2>\(caption)</h2>\n<p>None.</p>\n\(note)" }
    let number: HTML = " class=\"n\""
    let classes = head.indices.map { $0 == 0 || leftColumns.contains($0) ? nil : number }
    let lines = rows.enumerated().map { index, row -> HTML in
      let name = rowClass(index)
      let mark: HTML? = name.isEmpty ? nil : " class=\"\(name)\""
      let cells = row.enumerated().map { column, cell -> HTML in
        column == 0 ? "<th scope=\"row\">\(cell)</th>" : "<td\(classes[column])>\(cell)</td>"
      }
      return "<tr\(mark)>\(cells)</tr>\n"
    }
    return """
      <div class="scroll" tabindex="0"><table>
      <caption>\(caption)</caption>
      <thead><tr>\(zip(head, classes).map { "<th scope=\"col\"\($1)>\($0)</th>" })</tr></thead>
      <tbody>
      \(lines)</tbody></table></div>
      \(note)
      """
  }
}

/// HTML. Interpolated text is escaped, for use between tags and in quoted attributes. Interpolated HTML stays
/// unchanged.
package struct HTML: ExpressibleByStringInterpolation, Sendable {
  package let text: String

  package init(markup: String) { text = markup }
  package init(stringLiteral markup: String) { text = markup }
  package init(stringInterpolation parts: StringInterpolation) { text = parts.text }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity)
    }

    package mutating func appendLiteral(_ markup: String) { text += markup }
    package mutating func appendInterpolation(_ text: String) { self.text += Escaping.html(text) }
    package mutating func appendInterpolation(_ number: Int) { text += "\(number)" }
    package mutating func appendInterpolation(_ html: HTML?) { text += html?.text ?? "" }
    package mutating func appendInterpolation(_ parts: [HTML]) {
      for part in parts { text += part.text }
    }
  }
}
