import FirstlightModel
import StartupReport
import SystemSupport

/// The changes from one timeline to another, as a self-contained page: slower functions first, then faster
/// ones.
package enum TimelineDifferenceHTML {
  /// The limit keeps the page small enough to open. The page shows the number of omitted rows.
  private static let mostRows = 1000

  /// - Parameter paths: relative to the directory from which source paths are shown.
  package static func text(_ difference: TimelineDifference, paths: SourcePaths) throws(Failure)
    -> String
  {
    let lines =
      [TimelineDifferenceSentences.summary(difference)]
      + (difference.hasTimes ? [] : [TimelineDifferenceSentences.noTimes])
    let tree = StartupTreeDifference(difference)
    let worse = difference.rows.filter {
      difference.hasTimes ? $0.selfChange > 0 : $0.before == nil
    }
    let better = difference.rows.filter {
      difference.hasTimes ? $0.selfChange < 0 : $0.after == nil
    }
    let body: HTML = """
      <h1>Start-ups compared</h1>
      <dl class="sides">
      <dt>before</dt><dd>\(TimelineSentences.title(difference.before))</dd>
      <dt>after</dt><dd>\(TimelineSentences.title(difference.after))</dd>
      </dl>
      <div class="result">
      \(lines.map { "<p>\($0)</p>\n" })</div>
      \(moments(difference))\(tree == nil ? nil : flame)\
      \(functions("Slower or new, worst first", worse))\
      \(functions("Faster or gone, most first", better.reversed()))

      """
    guard let tree else {
      return HTMLPage.text(title: title, style: style, body: body)
    }
    return HTMLPage.text(
      title: title, style: TimelineHTML.style + style, body: body,
      data: try JSONForm.compact(
        TimelineHTMLData(
          timeline: difference.after, tree: tree.tree, before: tree.before, paths: paths)),
      script: TimelineHTMLScript.flameAlone)
  }

  private static let title = "Start-ups compared"

  private static let style = ResourceText.of(PackageResources.timeline_difference_css)

  private static let flame = TimelineHTML.flame(
    title: "Start-up after, coloured by change",
    words:
      "Width is the time after. Red stacks became slower, green ones faster. Functions that are gone "
      + "are only in the last table.", hasSearch: true)

  private static func moments(_ difference: TimelineDifference) -> HTML? {
    guard !difference.moments.isEmpty else { return nil }
    return HTMLTable.html(
      caption: "Times and durations", head: ["Event", "Before ms", "After ms", "Change ms"],
      rows: difference.moments.map { [$0.name] + TimelineDifferenceSentences.cells($0) },
      rowClass: { sign(difference.moments[$0].change ?? 0) })
  }

  private static func functions(_ caption: String, _ rows: [TimelineDifference.Row]) -> HTML {
    let left = rows.count - mostRows
    return HTMLTable.html(
      caption: caption,
      head: [
        "Function", "Module", "", "Before ms", "After ms", "Total change ms", "Self change ms",
      ],
      rows: rows.prefix(mostRows).map { row in
        let cells = TimelineDifferenceSentences.cells(row)
        return [cells[6], cells[5], cells[4], cells[1], cells[2], cells[3], cells[0]]
      }, leftColumns: [1, 2], rowClass: { sign(rows[$0].selfChange) },
      note: left > 0 ? "\(CountText.text(left, "more function")) not shown." : nil)
  }

  private static func sign(_ change: Int64) -> String {
    change > 0 ? "higher" : change < 0 ? "lower" : ""
  }
}
