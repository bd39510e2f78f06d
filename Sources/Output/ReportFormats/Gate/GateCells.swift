import FirstlightModel
import StartupReport
import SystemSupport

/// The rows of a gate in the form of text and Markdown.
struct GateCells {
  let report: GateReport

  static let columns: [(head: String, alignment: TextTable.Alignment)] = [
    ("Metric", .left), ("Old", .right), ("New", .right), ("Change", .right), ("Between", .right),
    ("Limit", .right), ("Verdict", .left),
  ]

  var rows: [[String]] {
    let result = report.result
    var rows = result.metrics.map(metric)
    rows += result.counts.map(count)
    if let order = result.order {
      rows.append([
        "order hit rate", NumberText.decimal(order.old * 100, digits: 1) + "%",
        NumberText.decimal(order.new * 100, digits: 1) + "%",
        NumberText.percent(order.old == 0 ? nil : order.new / order.old - 1), "",
        "-" + limit.dropFirst(),
        !order.isJudged ? "not judged" : order.isRegression ? "LOWER" : "fine",
      ])
    }
    return rows
  }

  /// One for each row's verdict.
  var colours: [TextColour?] {
    let result = report.result
    var colours: [TextColour?] = result.metrics.map { $0.verdict.map(Self.colour) }
    func colour(isJudged: Bool, isRegression: Bool) -> TextColour? {
      !isJudged ? nil : isRegression ? .bad : .good
    }
    colours += result.counts.map {
      colour(isJudged: $0.isJudged, isRegression: $0.isRegression)
    }
    if let order = result.order {
      colours.append(colour(isJudged: order.isJudged, isRegression: order.isRegression))
    }
    return colours
  }

  /// The colour of the title.
  var colour: TextColour { Self.colour(report.result.outcome) }

  private static func colour(_ outcome: LimitTest.Outcome) -> TextColour {
    switch outcome {
    case .fine: .good
    case .higher: .bad
    case .inconclusive: .doubtful
    }
  }

  private var limit: String { NumberText.percent(report.result.maxRegression) }

  private func metric(_ row: GateResult.MetricRow) -> [String] {
    func number(_ value: Double) -> String {
      NumberText.decimal(value, digits: row.metric.digits)
    }
    let ratio = row.ratio
    let verdict: String
    switch row.verdict {
    case .higher?: verdict = row.metric.isTime ? "SLOWER" : "MORE"
    case .inconclusive?: verdict = "inconclusive"
    case .some(let other): verdict = other.rawValue
    case nil: verdict = row.isJudged ? "not compared" : "not judged"
    }
    return [
      "\(row.metric.title) (\(row.metric.unit))", number(row.old.median), number(row.new.median),
      NumberText.percent(ratio.map { $0.ratio - 1 }),
      ratio.map { "\(NumberText.percent($0.lower - 1)) .. \(NumberText.percent($0.upper - 1))" }
        ?? "-",
      limit, verdict,
    ]
  }

  private func count(_ row: GateResult.CountRow) -> [String] {
    let difference = row.new - row.old
    let names = row.added.prefix(3).joined(separator: ", ")
    let more = row.added.count > 3 ? " and \(row.added.count - 3) more" : ""
    let kind = row.kind == .relocations ? "MORE" : "NEW"
    let verdict =
      !row.isJudged ? "not judged" : row.isRegression ? "\(kind): \(names)\(more)" : "fine"
    return [
      row.kind.rawValue, CountText.number(row.old), CountText.number(row.new),
      difference == 0 ? "0" : (difference > 0 ? "+" : "") + CountText.number(difference), "",
      row.kind == .relocations ? limit : "none new", verdict,
    ]
  }

  var title: String {
    let what: String
    switch report.result.outcome {
    case .fine: what = "fine"
    case .higher: what = "REGRESSION"
    case .inconclusive: what = "inconclusive (too noisy)"
    }
    return "\(report.program): \(what)"
  }

  var conditions: String {
    let conditions = report.conditions
    var text = "\(conditions.isCold ? "Cold" : "Warm") start-up until \(conditions.until), "
    text += CountText.text(report.runs, "run")
    text += report.old.map { " in turn with \($0)" } ?? " compared with the baseline"
    if let processor = conditions.processor { text += ", pinned to CPU \(processor)" }
    return text
  }

  /// The sentences below the table.
  var sentences: [String] {
    var sentences: [String] = []
    if let drift { sentences.append(drift) }
    if report.result.outcome == .inconclusive {
      sentences.append(
        report.old == nil
          ? "Inconclusive. Raise --runs, or use --against BINARY, which noise affects less."
          : "Inconclusive. Raise --runs, or use a machine with less other load.")
    }
    sentences += report.conditions.notes.map { "note: \($0)" }
    sentences.append(
      "Old, New: medians. Change: over all pairs of runs, so not always that of the medians.")
    sentences.append("Between: 95% confidence interval of the change. Limit: largest allowed.")
    return sentences
  }

  /// The change of the machine's speed since the baseline; nil: none.
  private var drift: String? {
    guard let elapsed = report.result.drift[.time], let cpuTime = report.result.drift[.cpuTime],
      [elapsed, cpuTime].contains(where: { abs($0.ratio - 1) > 0.02 })
    else { return nil }
    func bounds(_ drift: RatioEstimate) -> String {
      "\(NumberText.percent(drift.lower - 1)) to \(NumberText.percent(drift.upper - 1))"
    }
    return
      "The reference workload's time changed by \(bounds(elapsed)) since the baseline, its CPU "
      + "time by \(bounds(cpuTime)); this change of the machine is allowed for."
  }
}
