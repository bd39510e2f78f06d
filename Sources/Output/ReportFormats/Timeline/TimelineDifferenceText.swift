import StartupReport
import SystemSupport

/// The changes from one timeline to another, as text: slower functions first, then faster ones.
package struct TimelineDifferenceText {
  private let difference: TimelineDifference
  /// Rows of each table, 0 for all.
  private let limit: Int

  package init(_ difference: TimelineDifference, limit: Int) {
    self.difference = difference
    self.limit = limit
  }

  package var text: String {
    var text = "before: \(TimelineSentences.title(difference.before))\n"
    text += "after:  \(TimelineSentences.title(difference.after))\n"
    text += TimelineDifferenceSentences.summary(difference) + "\n"
    text += moments
    guard difference.hasTimes else {
      text += TimelineDifferenceSentences.noTimes + "\n"
      text += names("New", difference.rows.filter { $0.before == nil })
      text += names("Gone", difference.rows.filter { $0.after == nil })
      return text
    }
    let worse = difference.rows.filter { $0.selfChange > 0 }
    let better = Array(difference.rows.filter { $0.selfChange < 0 }.reversed())
    return text + functions("Slower or new, worst first", worse)
      + functions("Faster or gone, most first", better)
  }

  private var moments: String {
    guard !difference.moments.isEmpty else { return "" }
    var table = TextTable([.right, .right, .right, .left])
    table.add("before ms", "after ms", "change ms", "event")
    for moment in difference.moments {
      table.add(row: TimelineDifferenceSentences.cells(moment) + [moment.name])
    }
    return "\nTimes and durations\n" + table.text(indent: "  ")
  }

  private func functions(_ title: String, _ rows: [TimelineDifference.Row]) -> String {
    guard !rows.isEmpty else { return "\n\(title): none\n" }
    var table = TextTable([.right, .right, .right, .right, .left, .left, .left])
    table.add(
      "self change ms", "before ms", "after ms", "total change ms", "", "module", "function")
    for row in limit == 0 ? rows[...] : rows.prefix(limit) {
      var cells = TimelineDifferenceSentences.cells(row)
      cells[cells.count - 1] = TimelineSentences.short(cells[cells.count - 1])
      table.add(row: cells)
    }
    return "\n\(title)\n" + table.text(indent: "  ") + rest(rows.count)
  }

  private func names(_ title: String, _ rows: [TimelineDifference.Row]) -> String {
    guard !rows.isEmpty else { return "" }
    var table = TextTable([.left, .left])
    for row in limit == 0 ? rows[...] : rows.prefix(limit) {
      table.add(row.module, TimelineSentences.short(row.shortName))
    }
    return "\n\(title)\n" + table.text(indent: "  ") + rest(rows.count)
  }

  private func rest(_ count: Int) -> String {
    guard limit > 0, count > limit else { return "" }
    return "  and \(CountText.text(count - limit, "more function")); --limit 0 shows all\n"
  }
}

/// Sentences about a difference that text and page share.
enum TimelineDifferenceSentences {
  static let noTimes =
    "Without durations in both recordings, only new and gone functions are shown; record "
    + "durations with firstlight launch --profile FILE.flp."

  static func summary(_ difference: TimelineDifference) -> String {
    "\(CountText.text(difference.newFunctions, "function")) new, "
      + "\(CountText.number(difference.goneFunctions)) gone, "
      + "\(CountText.number(difference.rows.count - difference.newFunctions - difference.goneFunctions)) "
      + "in both. One run of each: small changes may be chance."
  }

  /// Before, after and change.
  static func cells(_ moment: TimelineDifference.Moment) -> [String] {
    [
      moment.before.map(TimelineSentences.milliseconds) ?? "-",
      moment.after.map(TimelineSentences.milliseconds) ?? "-",
      moment.change.map(TimelineSentences.change) ?? "-",
    ]
  }

  /// A function's change of own time, with before and after; change of its total; new or gone; module; name.
  static func cells(_ row: TimelineDifference.Row) -> [String] {
    [
      TimelineSentences.change(row.selfChange),
      row.before.map { TimelineSentences.milliseconds($0.selfTime) } ?? "-",
      row.after.map { TimelineSentences.milliseconds($0.selfTime) } ?? "-",
      TimelineSentences.change(row.totalChange),
      row.before == nil ? "new" : row.after == nil ? "gone" : "",
      row.module, row.name + (row.isInitializer ? " (initializer)" : ""),
    ]
  }
}
