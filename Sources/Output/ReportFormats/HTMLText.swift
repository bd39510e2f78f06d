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

  /// A table: the first cell of each row names it, the others but for `leftColumns` are numbers.
  package static func table(
    caption: String, head: [String], rows: [[String]], leftColumns: Set<Int> = [],
    rowClass: (Int) -> String = { _ in "" }
  ) -> String {
    func side(_ column: Int) -> String {
      column == 0 || leftColumns.contains(column) ? "" : " class=\"n\""
    }
    var text =
      "<div class=\"scroll\" tabindex=\"0\"><table>\n<caption>\(escaped(caption))</caption>\n<thead><tr>"
    for (column, cell) in head.enumerated() {
      text += "<th scope=\"col\"\(side(column))>\(escaped(cell))</th>"
    }
    text += "</tr></thead>\n<tbody>\n"
    for (index, row) in rows.enumerated() {
      let name = rowClass(index)
      text += name.isEmpty ? "<tr>" : "<tr class=\"\(name)\">"
      for (column, cell) in row.enumerated() {
        text +=
          column == 0
          ? "<th scope=\"row\">\(escaped(cell))</th>"
          : "<td\(side(column))>\(escaped(cell))</td>"
      }
      text += "</tr>\n"
    }
    return text + "</tbody></table></div>\n"
  }
}
