import FirstlightModel
import SystemSupport

extension Document {
  package func text(_ style: TextStyle = .plain) -> String {
    var text = ""
    var isAfterTable = false
    for block in blocks {
      func add(_ lines: [String], _ colour: TextColour? = nil) {
        for line in lines {
          text += Escaping.terminal(line).coloured(style.isColoured ? colour : nil) + "\n"
        }
      }
      var isTable = false
      let isApart =
        switch block {
        case .table, .paragraph: true
        case .lines(let lines): isAfterTable && !lines.isEmpty
        case .figure: false
        default: isAfterTable
        }
      if isApart, !text.isEmpty { text += "\n" }
      switch block {
      case .title(let title, let colour): add([title], colour)
      case .warning(let warning): add([warning], .bad)
      case .lines(let lines), .paragraph(let lines): add(lines)
      case .facts(let facts):
        var table = TextTable([.left, .left])
        for fact in facts { table.add(fact.label, fact.text) }
        table.append(to: &text, indent: "  ")
      case .table(let table):
        table.append(to: &text, style)
        isTable = true
      case .figure: continue
      }
      isAfterTable = isTable
    }
    return text
  }
}

extension Document.Table {
  /// A table alone.
  package func text(_ style: TextStyle = .plain) -> String {
    var text = ""
    append(to: &text, style)
    return text
  }

  fileprivate func append(to text: inout String, _ style: TextStyle) {
    let indent = caption == nil ? "" : "  "
    var kept = columns(in: style.width - indent.count)
    var folded: [Int] = []
    while let last = kept.last, columns[last].isFolded, width(kept) > style.width - indent.count {
      folded.insert(kept.removeLast(), at: 0)
    }
    var table = TextTable(kept.map { columns[$0].kind == .number ? .right : .left })
    if columns.contains(where: { !$0.head.isEmpty }) {
      table.add(row: kept.map { columns[$0].head })
    }
    for (index, row) in rows.enumerated() {
      table.add(
        row: kept.map { row[$0] },
        colour: style.isColoured && index < colours.count ? colours[index] : nil)
    }
    if let caption { text += Escaping.terminal(caption) + (rows.isEmpty ? ": none\n" : "\n") }
    if !folded.isEmpty {
      let lines = table.text(indent: indent).utf8.split(separator: UInt8(ascii: "\n"))
      for (line, row) in zip(lines, rows) {
        text += Substring(line) + "\n"
        let more = folded.map { row[$0] }.filter { !$0.isEmpty }
        if !more.isEmpty {
          text += indent + "    " + more.map(Escaping.terminal).joined(separator: "  ") + "\n"
        }
      }
    } else if !rows.isEmpty {
      table.append(to: &text, indent: indent)
    }
    for note in notes(on: kept.map { columns[$0] }) {
      text += indent + Escaping.terminal(note) + "\n"
    }
  }

  /// The characters in the widest row of some columns.
  private func width(_ kept: [Int]) -> Int {
    kept.reduce(2 * (kept.count - 1)) { sum, column in
      sum + rows.reduce(columns[column].head.count) { max($0, $1[column].count) }
    }
  }

  /// The columns that fit a width, as far as columns may be dropped.
  private func columns(in width: Int) -> [Int] {
    var kept = Array(columns.indices)
    guard columns.contains(where: { $0.drop > 0 }) else { return kept }
    while self.width(kept) > width,
      let first = kept.map({ columns[$0].drop }).max(), first > 0
    {
      kept.removeAll { columns[$0].drop == first }
    }
    return kept
  }
}
