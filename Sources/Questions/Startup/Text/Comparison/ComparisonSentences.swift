import FirstlightModel
import SystemSupport

/// The sentences about a comparison of two start-ups.
package struct ComparisonSentences {
  let comparison: StartupComparison

  package init(comparison: StartupComparison) { self.comparison = comparison }

  /// A warning that starts or their times are not comparable; nil if they are.
  package var warning: String? { unfairness ?? unresolved }

  /// A warning that readiness was seen too late for valid times; nil if it was seen in time.
  private var unresolved: String? {
    guard let lateness = comparison.lateness,
      let time = comparison.rows.first(where: { $0.metric == .time })
    else { return nil }
    func milliseconds(_ value: Double) -> String { NumberText.decimal(value, digits: 2) + " ms" }
    return "TIMES NOT RESOLVED: readiness was seen up to \(milliseconds(lateness)) late, and a "
      + "start takes \(milliseconds(min(time.a.median, time.b.median))). Times are not compared. Measure on "
      + "a machine with less other load, or with --until ready."
  }

  private var unfairness: String? {
    guard let evenness = comparison.evenness, !evenness.isEven else { return nil }
    func pages(_ count: Double) -> String { CountText.text(Int(count), "page") }
    return "UNFAIR COMPARISON: A started with \(pages(evenness.foundByA)) of its files in memory "
      + "and B with \(pages(evenness.foundByB)), because other processes have them mapped. Times "
      + "and faults are not compared. Measure with --warm."
  }

  /// The conclusions, one sentence each.
  ///
  /// - Parameter name: the name of the second program.
  package func conclusions(on name: String = "B") -> [String] {
    func names(_ verdict: StartupComparison.Verdict) -> [String] {
      comparison.rows.filter { $0.verdict == verdict }.map { row in
        if verdict == .unresolved, let range = row.shift {
          return "\(row.metric.title) (\(Self.text(range, row.metric, of: name)))"
        }
        guard verdict == .lower || verdict == .higher, row.change != nil else {
          return row.metric.title
        }
        return "\(row.metric.title) \(NumberText.percent(row.change))"
      }
    }
    let same = names(.same)
    if same.count == comparison.rows.count {
      let sides = name == "B" ? "A and B" : "before and after"
      return ["No measurable difference between \(sides) in any metric."]
    }
    let parts: [(String, [String])] = [
      ("\(name) is lower in", names(.lower)), ("\(name) is higher in", names(.higher)),
      ("No measurable difference in", same), ("Not comparable", names(.uneven)),
      ("Not resolved", names(.unresolved)),
    ]
    let lines = parts.filter { !$0.1.isEmpty }.map { "\($0): \($1.joined(separator: ", "))." }
    let isHidden =
      comparison.lateness == nil && comparison.rows.contains { $0.verdict == .unresolved }
    return lines + (isHidden ? [Self.hidden] : [])
  }

  private static let hidden =
    "Times vary too much to exclude a difference of 5%: use more --runs, or a machine with less "
    + "other load."

  /// The differences that the runs allow.
  private static func text(
    _ range: ClosedRange<Double>, _ metric: StartupMetric, of name: String
  ) -> String {
    func number(_ value: Double) -> String {
      (value > 0 ? "+" : "") + NumberText.decimal(value, digits: metric.digits)
    }
    let side = name == "B" ? name : name.lowercased()
    return "\(side) by \(number(range.lowerBound)) to \(number(range.upperBound)) \(metric.unit)"
  }

  package var title: String {
    let runs = max(comparison.a.runs.count, comparison.b.runs.count)
    return "\(comparison.conditions.isCold ? "Cold" : "Warm") start-up until "
      + "\(comparison.conditions.until), \(CountText.text(runs, "run")) of each in turn"
  }

  package static func side(_ side: StartupComparison.Side) -> String {
    "\(side.facts.path) (\(CountText.bytes(side.facts.fileSize)), "
      + (side.facts.buildID.map { "build id \($0.short)" } ?? "no build id") + ")"
  }

  /// Label and text of each condition.
  package var conditions: [(label: String, text: String)] {
    let conditions = comparison.conditions
    var lines: [(label: String, text: String)] = []
    if !conditions.arguments.isEmpty {
      lines.append(
        ("arguments", conditions.arguments.map(Escaping.shellWord).joined(separator: " ")))
    }
    if conditions.isCold {
      let programs = [comparison.a.facts.path, comparison.b.facts.path]
      let libraries = conditions.droppedFiles.filter { !programs.contains($0) }
      lines.append(
        (
          "dropped before each run",
          "both programs" + (libraries.isEmpty ? "" : ", \(Self.names(libraries))")
        ))
      if !conditions.keptFiles.isEmpty {
        lines.append(("stayed in memory", Self.names(conditions.keptFiles)))
      }
    }
    lines.append(("readahead", readahead))
    if let a = comparison.a.map, let b = comparison.b.map {
      lines.append(
        (
          "touched pages",
          a.isExact && b.isExact
            ? "from one more start of each; exact"
            : "from one more start of each; includes up to 64 KiB mapped around each touched page"
        ))
    }
    let host = conditions.host
    lines.append(
      (
        "machine",
        [
          host.name, host.kernel, host.architecture, host.processor,
          CountText.text(host.cores, "core"),
        ]
        .filter { !$0.isEmpty }.joined(separator: ", ")
      ))
    lines += conditions.notes.map { ("note", $0) }
    return lines
  }

  /// File names without folders: both programs may have libraries of one name. JSON has all files with whole paths.
  private static func names(_ paths: [String]) -> String {
    var known: Set<TextBytes> = []
    let names = paths.map { BaseName.of($0) }.filter { known.insert(TextBytes($0)).inserted }
    return names.prefix(8).joined(separator: ", ")
      + (names.count > 8 ? " and \(CountText.number(names.count - 8)) more" : "")
  }

  private var readahead: String {
    func text(_ kibibytes: Int?) -> String {
      kibibytes.map { CountText.bytes(UInt64($0) << 10) } ?? "unknown"
    }
    let (a, b) = comparison.conditions.readahead
    return a == b ? text(a) : "A \(text(a)), B \(text(b))"
  }

  /// Explanations of the table's columns.
  package static let legend = [
    ("IQR", "distance between the quartiles."),
    (
      "p",
      "probability of such a difference by chance (Mann-Whitney, adjusted for the number of rows)."
    ), ("Effect", "-1 if all of B's runs are lower, +1 if all are higher."),
  ]
}
