import DeadCode
import FirstlightModel
import SystemSupport

/// A never-called list, sorted by references: functions that can be deleted first, as trees.
struct ReferenceListText {
  let list: DeadCodeList
  let references: ReferenceText

  var text: String {
    let rows = list.shown
    var text = ""
    var start = rows.startIndex
    while start < rows.endIndex {
      let group = references.group(rows[start])
      let end = rows[start...].firstIndex { references.group($0) != group } ?? rows.endIndex
      text += "\n" + PrintableText.of(heading(group)) + "\n"
      table(rows[start..<end], group).append(to: &text, indent: "  ")
      start = end
    }
    return text
  }

  private func heading(_ group: ReferenceGroup?) -> String {
    let sums = ReferenceSums(list.rows.filter { references.group($0) == group }, references)
    return "\(ReferenceText.title(group)): \(sums.text)"
  }

  private func table(
    _ rows: Slice<FunctionRows>, _ group: ReferenceGroup?
  ) -> TextTable {
    let isDeletable = group == .deletable
    var table = TextTable(
      (isDeletable ? [.right] : []) + [.right, .left, .left, .left]
        + (list.changeTimes == nil ? [] : [.left]))
    for row in rows {
      let indent = String(repeating: "  ", count: min(references.depth(row), 20))
      let place = row.file.map {
        references.paths.shown($0) + (row.line > 0 ? ":\(row.line)" : "")
      }
      let lines = references.references.lineCount(row.identity)
      table.add(
        row: [CountText.bytes(row.bytes)]
          + (isDeletable ? [lines.map { CountText.text($0, "line") } ?? ""] : []) + [
            indent + (list.showsFullNames ? row.name : row.shortName), place ?? row.moduleLabel,
            references.text(row.identity) ?? row.verdict.rawValue,
          ] + AgeText.column(row, list))
    }
    return table
  }
}

/// Sums of functions, their bytes and their lines.
struct ReferenceSums {
  var functions = 0
  var bytes: UInt64 = 0
  /// 0: unknown for all of them.
  var lines = 0

  init(_ rows: some Sequence<FunctionReport>, _ references: ReferenceText) {
    for row in rows {
      functions += 1
      bytes += row.bytes
      lines += references.references.lineCount(row.identity) ?? 0
    }
  }

  var text: String {
    "\(CountText.text(functions, "function")), \(CountText.bytes(bytes))"
      + (lines > 0 ? ", \(CountText.text(lines, "line"))" : "")
  }
}
