import FirstlightModel
import StartupReport
import SystemSupport

/// A start-up report, as text.
package enum LaunchText {
  /// - Parameters:
  ///   - calls: the timeline of the start with traced calls; nil: there was none.
  ///   - showsAll: whether to show more than the dearest rows of each kind.
  package static func text(
    _ report: StartupReport, calls: Timeline? = nil, showsAll: Bool = false
  ) -> String {
    var text = head(report)
    let most = showsAll ? Int.max : 5
    if !report.watched.isEmpty {
      text += "\n" + stages(report)
      text += initializers(report, most)
      text += images(report, most)
      if showsAll { text += relocations(report) }
    }
    if let tree = report.calls, let calls {
      text +=
        "\nFirst calls: \(CountText.number(tree.calls.count)) of "
        + "\(CountText.number(tree.functionCount)) functions\n"
        + (showsAll ? TimelineSentences.scaled(tree.scale) + ".\n" : "")
        + TimelineText(timeline: calls, limit: showsAll ? 0 : most, showingAll: "--all").calls
    }
    if let lookups = report.lookups { text += ConformanceLookupsText.text(lookups, most) }
    let notes = report.conditions.notes
    if !notes.isEmpty { text += "\n" + notes.map { "\($0)\n" }.joined() }
    if let advice = LaunchAdvice.text(report) { text += "\n\(advice)\n" }
    return text
  }

  private static func head(_ report: StartupReport) -> String {
    let conditions = report.conditions
    let command = ShellText.line(report.command)
    if let failure = report.failure { return "\(command) did not start up: \(failure)\n" }
    let wall = report.wall
    var text = report.tracedDifference.map { PrintableText.of($0) + "\n" } ?? ""
    text +=
      "\(command): \(milliseconds(wall.median)) ms from exec to \(conditions.until), "
      + "\(conditions.isCold ? "cold" : "warm")\n"
    text +=
      "median of \(CountText.text(wall.count, "start")), "
      + "\(milliseconds(wall.quantile(0))) to \(milliseconds(wall.quantile(1))) ms"
    if !report.source.isEmpty { text += "; \(report.source)" }
    return text + "\n"
  }

  private static func stages(_ report: StartupReport) -> String {
    var table = TextTable([.left, .right, .right, .right, .right, .right, .left])
    table.add(
      row: ["Stage", "median ms", "IQR ms", "share", "minor faults", "major faults", ""])
    for row in report.stageRows {
      table.add(
        row: [
          name(row.kind), milliseconds(row.duration.median), iqr(row.duration),
          percent(row.share), count(row.minorFaults), count(row.majorFaults), meaning(row.kind),
        ])
    }
    let sum = report.sum
    table.add(row: ["all stages", milliseconds(sum.median), iqr(sum), "", "", "", ""])
    var text = table.text()
    if report.failure == nil, let share = report.share {
      let stops = Sample(report.watched.map { Double($0.stops) })
      text +=
        "The stages add up to \(percent(share)) of the time of untraced starts "
        + "(\(CountText.text(Int(stops.median), "stop"))).\n"
    }
    return text
  }

  /// The displayed name of a stage.
  package static func name(_ kind: LaunchStage.Kind) -> String {
    switch kind {
    case .exec: "exec"
    case .earlier: "earlier programs"
    case .mapping: "mapping"
    case .relocating: "relocating"
    case .initializers: "initializers"
    case .main: "main"
    case .unknown: "the rest"
    }
  }

  private static func meaning(_ kind: LaunchStage.Kind) -> String {
    switch kind {
    case .exec: "the kernel sets up the process"
    case .earlier: "programs that the process ran before this one"
    case .mapping: "the loader finds and maps libraries"
    case .relocating: "the loader relocates and binds symbols"
    case .initializers: "code that runs before main"
    case .main: "from main on"
    case .unknown: "unknown start of main"
    }
  }

  /// Shorter initializers, in seconds, are shown as a sum.
  private static let least = 0.000_02

  private static func initializers(_ report: StartupReport, _ most: Int) -> String {
    let rows = report.initializerRows
    guard !rows.isEmpty else { return "" }
    let shown = rows.prefix(most).filter { $0.duration.count == 0 || $0.duration.median >= least }
    var text =
      "\nInitializers, worst first (\(rows.count) in total)\n"
    var table = TextTable([.right, .right, .right, .right, .left, .left])
    table.add(row: ["ms", "minor faults", "major faults", "order", "binary", "function"])
    for row in shown {
      table.add(
        row: [
          row.duration.count == 0 ? "no return" : milliseconds(row.duration.median),
          count(row.minorFaults), count(row.majorFaults), "\(row.order)", BaseName.of(row.image),
          row.name.isEmpty
            ? "at 0x" + String(row.address, radix: 16)
            : ShortName.shown(name: row.name, demangled: report.names[row.name] ?? row.name),
        ])
    }
    if !shown.isEmpty { text += table.text() }
    let rest = rows.count - shown.count
    if rest > 0 {
      let restSum = rows.dropFirst(shown.count).reduce(0.0) {
        $0 + ($1.duration.count > 0 ? $1.duration.median : 0)
      }
      let who =
        shown.isEmpty
        ? "none takes longer than \(milliseconds(least)) ms" : "\(CountText.text(rest, "other"))"
      text += "\(who): \(milliseconds(restSum)) ms together\n"
    }
    return text
  }

  private static func images(_ report: StartupReport, _ most: Int) -> String {
    let rows = report.imageRows
    guard rows.count > 1 || rows.contains(where: { $0.median > 0 }) else { return "" }
    var text = "\nBinaries, worst first (\(rows.count) in total)\n"
    var table = TextTable([.right, .right, .right, .left, .left])
    table.add(row: ["mapping ms", "relocating ms", "relocations", "binary", ""])
    let shown = rows.prefix(most).filter { most == .max || $0.median >= least }
    for row in shown {
      table.add(
        row: [
          optional(row.mapping), optional(row.relocating),
          row.relocations.map { CountText.number($0) } ?? "?", row.path,
          row.isLoadedLater ? "loaded by the program (dlopen)" : "",
        ])
    }
    if !shown.isEmpty { text += table.text() }
    if rows.count > shown.count {
      let rest = rows.dropFirst(shown.count)
      text +=
        "\(CountText.text(rest.count, "other")): "
        + "\(milliseconds(rest.reduce(0) { $0 + $1.median })) ms together\n"
    }
    return text
  }

  private static func relocations(_ report: StartupReport) -> String {
    var counts: [String: Int] = [:]
    for image in report.relocations { counts.merge(image.counts, uniquingKeysWith: +) }
    guard !counts.isEmpty else { return "" }
    let packed = report.relocations.reduce(0) { $0 + $1.packed }
    let kinds = counts.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
      .map { "\(CountText.number($0.value)) \($0.key)" }
    return "\nRelocations: \(kinds.joined(separator: ", "))"
      + (packed > 0 ? "; \(CountText.number(packed)) packed" : "") + "\n"
  }

  static func milliseconds(_ seconds: Double) -> String {
    NumberText.decimal(seconds * 1000, digits: 2)
  }

  private static func optional(_ sample: Sample) -> String {
    sample.count == 0 ? "-" : milliseconds(sample.median)
  }

  private static func iqr(_ sample: Sample) -> String {
    "\(milliseconds(sample.quantile(0.25)))-\(milliseconds(sample.quantile(0.75)))"
  }

  private static func percent(_ share: Double) -> String {
    NumberText.decimal(share * 100, digits: 1) + "%"
  }

  private static func count(_ sample: Sample) -> String { CountText.number(Int(sample.median)) }
}
