import FirstlightModel
import Reports
import SystemSupport

/// The changes from one timeline to another: slower functions first, then faster ones.
extension TimelineDifference {
  /// A self-contained page.
  ///
  /// - Parameter paths: relative to the directory from which source paths are shown.
  package func page(_ paths: SourcePaths) throws(Failure) -> String {
    let tree = StartupTreeDifference(self)
    // The limit keeps the page small enough to open.
    let document = document(limit: 1000, hint: "", flame: tree == nil ? nil : Self.flame)
    let style = ResourceText.of(PackageResources.timeline_difference_css)
    guard let tree else { return document.page(title: Self.title, style: style) }
    return document.page(
      title: Self.title, style: TimelineHTML.style + style,
      data: try JSONForm.compact(
        TimelineHTMLData(timeline: after, tree: tree.tree, before: tree.before, paths: paths)),
      script: TimelineHTMLScript.flameAlone)
  }

  private static let title = "Start-ups compared"

  private static let flame = TimelineHTML.flame(
    title: "Start-up after, coloured by change",
    words:
      "Width is the time after. Red stacks became slower, green ones faster. Functions that are gone "
      + "are only in the last table.", hasSearch: true)

  /// - Parameter limit: rows of each table, 0 for all.
  package func document(
    limit: Int, hint: String = "; --limit 0 shows all", flame: HTML? = nil
  ) -> Document {
    let summary =
      "\(CountText.text(newFunctions, "function")) new, \(CountText.number(goneFunctions)) gone, "
      + "\(CountText.number(rows.count - newFunctions - goneFunctions)) in both. One run of each: "
      + "small changes may be chance."
    let noTimes =
      "Without durations in both recordings, only new and gone functions are shown; record "
      + "durations with firstlight launch --profile FILE.flp."
    let worse = rows.filter { hasTimes ? $0.selfChange > 0 : $0.before == nil }
    let better = rows.filter { hasTimes ? $0.selfChange < 0 : $0.after == nil }
    return Document([
      .title(Self.title),
      .facts([
        ("before", TimelineSentences.title(before)), ("after", TimelineSentences.title(after)),
      ]),
      .lines([summary] + (hasTimes ? [] : [noTimes])), moments.isEmpty ? nil : .table(times),
      flame.map { .figure($0) },
      .table(functions(hasTimes ? "Slower or new, worst first" : "New", worse, limit, hint)),
      .table(
        functions(hasTimes ? "Faster or gone, most first" : "Gone", better.reversed(), limit, hint)),
    ])
  }

  private var times: Document.Table {
    Document.Table(
      "Times and durations",
      [.text("Event"), .number("Before ms"), .number("After ms"), .number("Change ms")],
      moments.map {
        [
          $0.name, $0.before.map(TimelineSentences.milliseconds) ?? "-",
          $0.after.map(TimelineSentences.milliseconds) ?? "-",
          $0.change.map(TimelineSentences.change) ?? "-",
        ]
      }, colours: moments.map { Self.colour($0.change ?? 0) })
  }

  private func functions(_ caption: String, _ rows: [Row], _ limit: Int, _ hint: String)
    -> Document.Table
  {
    Document.Table(
      caption,
      [
        .text("Function"), .text("Module", drop: 1), .text("", optional: true),
        .number("Before ms", optional: true), .number("After ms", optional: true),
        .number("Total change ms", drop: 2, optional: true),
        .number("Self change ms", optional: true),
      ],
      rows.map { row in
        [
          row.shortName + (row.isInitializer ? " (initializer)" : ""), row.module,
          !hasTimes ? "" : row.before == nil ? "new" : row.after == nil ? "gone" : "",
        ]
          + (hasTimes
            ? [
              row.before.map { TimelineSentences.milliseconds($0.selfTime) } ?? "-",
              row.after.map { TimelineSentences.milliseconds($0.selfTime) } ?? "-",
              TimelineSentences.change(row.totalChange), TimelineSentences.change(row.selfChange),
            ] : ["", "", "", ""])
      }, colours: rows.map { Self.colour($0.selfChange) }, most: limit,
      rest: { "and \(CountText.text($0, "more function"))\(hint)" })
  }

  private static func colour(_ change: Int64) -> TextColour? {
    change > 0 ? .bad : change < 0 ? .good : nil
  }
}
