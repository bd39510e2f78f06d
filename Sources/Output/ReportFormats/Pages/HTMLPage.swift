import Mustache
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

/// A table of text and numbers; without rows a heading that says so.
package enum HTMLTable {
  /// The first cell of each row names it; the others, but for `leftColumns`, are numbers.
  /// - Parameter note: what stands below it; nil: nothing.
  package static func text(
    caption: String, head: [String], rows: [[String]], leftColumns: Set<Int> = [],
    rowClass: (Int) -> String = { _ in "" }, note: String? = nil
  ) -> String {
    let left = leftColumns.union([0])
    return template.text([
      "caption": caption, "isEmpty": rows.isEmpty, "note": note,
      "head": head.enumerated().map { column, cell -> [String: Any] in
        ["text": cell, "isNumber": !left.contains(column)]
      },
      "rows": rows.enumerated().map { row(class: rowClass($0), cells: $1, left) }.joined(),
    ])
  }

  private static let template = PageTemplate(PackageResources.table_mustache)

  /// Not a template: tables have thousands of rows, and Mustache takes ten times as long for a row.
  private static func row(class name: String, cells: [String], _ left: Set<Int>) -> String {
    var text = name.isEmpty ? "<tr>" : "<tr class=\"\(name)\">"
    for (column, cell) in cells.enumerated() {
      let escaped = HTMLText.escaped(cell)
      text +=
        column == 0
        ? "<th scope=\"row\">\(escaped)</th>"
        : left.contains(column) ? "<td>\(escaped)</td>" : "<td class=\"n\">\(escaped)</td>"
    }
    return text + "</tr>\n"
  }
}

/// Text within HTML.
package enum HTMLText {
  /// Text as it can stand between tags and within quoted attributes.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}

/// A page, or a part of one, as a Mustache template: a file that was embedded in the program when it
/// was built. Parsed when it is first used, so programs that make no page never do.
///
/// `{{name}}` is escaped and may stand between tags and within quoted attributes; `{{{name}}}` is for
/// what is HTML already.
package struct PageTemplate: Sendable {
  private let template: MustacheTemplate

  /// - Parameter bytes: UTF-8. A template that does not parse is a mistake in Firstlight, and ends it.
  package init(_ bytes: [UInt8]) {
    do {
      template = try MustacheTemplate(
        string: Self.pragma + String(decoding: bytes, as: UTF8.self))
    } catch {
      fatalError("invalid template: \(error)")
    }
  }

  /// - Parameter values: by the names in the template: text, `Bool`, a dictionary, or arrays of these.
  ///   `nil` and an empty array leave a section out; an empty text does not.
  package func text(_ values: [String: Any?]) -> String {
    template.render(values.compactMapValues { $0 })
  }

  /// The first line of each template, which Mustache removes.
  private static let pragma: String = {
    MustacheContentTypes.register(EscapedHTML(), named: "FIRSTLIGHT_HTML")
    return "{{%CONTENT_TYPE:FIRSTLIGHT_HTML}}\n"
  }()

  /// Mustache's own escaping works on characters, and lets a quotation mark through that has a
  /// combining accent behind it.
  private struct EscapedHTML: MustacheContentType {
    func escapeText(_ text: String) -> String { HTMLText.escaped(text) }
  }
}
