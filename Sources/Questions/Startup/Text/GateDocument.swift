import FirstlightModel
import Reports
import SystemSupport

/// The output formats of a gate's result.
package enum GateFormat: String, CaseIterable, Sendable {
  case text, json, markdown

  package func text(
    _ report: GateReport, style: TextStyle = .plain
  ) throws(Failure) -> String {
    switch self {
    case .text: report.document.text(style)
    case .json: try JSONForm.pretty(report)
    case .markdown: report.document.markdown
    }
  }
}

extension GateReport {
  var document: Document {
    Document([
      .title(title, Self.colour(result.outcome)), .lines([conditionsLine]),
      .table(
        Document.Table(
          nil,
          [
            .text("Metric"), .number("Old"), .number("New"), .number("Change"),
            .number("Between", drop: 2), .number("Limit", drop: 1), .text("Verdict"),
          ], rows.map(\.cells), colours: rows.map(\.colour))),
      .lines(sentences),
    ])
  }

  /// The cells of each row, with the colour of its verdict.
  private var rows: [(cells: [String], colour: TextColour?)] {
    func colour(isJudged: Bool, isRegression: Bool) -> TextColour? {
      !isJudged ? nil : isRegression ? .bad : .good
    }
    var rows = result.metrics.map { (metric($0), $0.verdict.map(Self.colour)) }
    rows += result.counts.map {
      (count($0), colour(isJudged: $0.isJudged, isRegression: $0.isRegression))
    }
    if let order = result.order {
      rows.append(
        (
          [
            "order hit rate", NumberText.decimal(order.old * 100, digits: 1) + "%",
            NumberText.decimal(order.new * 100, digits: 1) + "%",
            NumberText.percent(order.old == 0 ? nil : order.new / order.old - 1), "",
            "-" + limit.dropFirst(),
            !order.isJudged ? "not judged" : order.isRegression ? "LOWER" : "fine",
          ], colour(isJudged: order.isJudged, isRegression: order.isRegression)
        ))
    }
    return rows
  }

  private static func colour(_ outcome: LimitTest.Outcome) -> TextColour {
    switch outcome {
    case .fine: .good
    case .higher: .bad
    case .inconclusive: .doubtful
    }
  }

  private var limit: String { NumberText.percent(result.maxRegression) }

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
      NumberText.percent(row.old.median == 0 ? nil : row.new.median / row.old.median - 1),
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

  private var title: String {
    let what: String
    switch result.outcome {
    case .fine: what = "fine"
    case .higher: what = "REGRESSION"
    case .inconclusive: what = "inconclusive (too noisy)"
    }
    return "\(program): \(what)"
  }

  private var conditionsLine: String {
    var text = "\(conditions.isCold ? "Cold" : "Warm") start-up until \(conditions.until), "
    text += CountText.text(runs, "run")
    text += old.map { " in turn with \($0)" } ?? " compared with the baseline"
    if let processor = conditions.processor { text += ", pinned to CPU \(processor)" }
    return text
  }

  /// The sentences below the table.
  private var sentences: [String] {
    var sentences: [String] = []
    if let drift { sentences.append(drift) }
    if result.outcome == .inconclusive {
      let instead =
        old == nil
        ? "use --against BINARY, which noise affects less."
        : "use a machine with less other load."
      // A gate measures up to four times as many.
      let enough = result.decidingRuns.map { "--runs \(($0 + 3) / 4) would probably decide" }
      sentences.append("Inconclusive. \(enough ?? "Raise --runs"), or \(instead)")
    }
    sentences += conditions.notes.map { "note: \($0)" }
    sentences.append("Old, New: medians. Change: of the medians. Limit: largest allowed.")
    sentences.append("Between: 95% confidence interval of the change over all pairs of runs.")
    return sentences
  }

  /// The change of the machine's speed since the baseline; nil: none.
  private var drift: String? {
    guard let elapsed = result.drift[.time], let cpuTime = result.drift[.cpuTime],
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

extension StartupBaseline {
  /// One line about the baseline that was written.
  package func summary(path: String) -> String {
    "wrote \(path): \(CountText.text(sample(.time).count, "run")) until \(until), median "
      + "\(NumberText.decimal(sample(.time).median, digits: 2)) ms, "
      + "\(NumberText.decimal(sample(.minorFaults).median, digits: 0)) minor faults, "
      + CountText.text(inventory.libraries.count, "shared library", "shared libraries")
      + ", \(CountText.text(inventory.initializerCount, "initializer")), "
      + CountText.text(inventory.relocationCount, "relocation")
  }
}
