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
