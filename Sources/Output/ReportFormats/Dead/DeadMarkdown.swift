import DeadCode
import FirstlightModel
import SystemSupport

/// A never-called list for the summary of a CI job.
enum DeadMarkdown {
  static func text(
    _ list: DeadCodeList, references: ReferenceText? = nil, paths: SourcePaths
  ) -> String {
    var text = "### \(DeadSentences.title(list))\n\n"
    let sentences =
      DeadSentences.observation(list.report.observation) + TestedText.observation(list)
      + DeadSentences.notes(list)
      + [references.flatMap { DeadSentences.deletable(list, $0) }, TestedText.sum(list)]
      .compactMap(\.self)
    text += sentences.map { MarkdownText.escaped($0) + "\n" }.joined()
    let parts = DeadText.parts(of: list)
    if !parts.dead.rows.isEmpty { text += table(parts.dead, references, paths) }
    if let inWindows = parts.inWindows {
      text += "\n#### \(DeadSentences.inWindows(list))\n\n" + table(inWindows, nil, paths)
    }
    for note in DeadSentences.leftOut(list) { text += MarkdownText.escaped(note) + "\n" }
    let modules = DeadSentences.coverage(list)
    if !modules.rows.isEmpty {
      text += MarkdownText.table(
        modules.columns, modules.rows.map { $0.map(MarkdownText.escaped) })
    }
    for line in [modules.more, DeadText.equation(list)].compactMap(\.self) {
      text += MarkdownText.escaped(line) + "\n"
    }
    return text
  }

  private static func table(
    _ list: DeadCodeList, _ references: ReferenceText?, _ paths: SourcePaths
  ) -> String {
    var columns: [(head: String, alignment: TextTable.Alignment)] = [
      ("Function", .left), ("Source", .left), ("Module", .left), ("Size", .right),
      ("Runs", .right),
    ]
    if list.showsAll { columns.append(("Verdict", .left)) }
    if list.tests != nil { columns.append(("Tests", .left)) }
    if references != nil { columns.append(("References", .left)) }
    let rows = list.shown.map { row in
      let place = row.file.map { paths.shown($0) + (row.line > 0 ? ":\(row.line)" : "") } ?? ""
      let cells = [
        MarkdownText.codeCell(list.showsFullNames ? row.name : row.shortName),
        MarkdownText.codeCell(place),
        MarkdownText.escaped(row.moduleLabel), CountText.bytes(row.bytes),
        "\(CountText.number(row.calledRuns))/\(CountText.number(row.watchedRuns))",
      ]
      return cells + (list.showsAll ? [row.verdict.rawValue] : [])
        + (list.tests == nil ? [] : [row.tests?.rawValue ?? ""])
        + (references.map { [MarkdownText.escaped($0.text(row.identity) ?? "")] } ?? [])
    }
    return MarkdownText.table(columns, rows)
  }
}
