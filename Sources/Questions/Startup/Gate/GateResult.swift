import FirstlightModel

/// The rows of a gate, and its outcome.
package struct GateResult: Sendable {
  /// A metric that varies from run to run.
  package struct MetricRow: Sendable {
    package var metric: StartupMetric
    package var old: Sample
    package var new: Sample
    /// New value by old value; nil if the old value is 0.
    package var ratio: RatioEstimate?
    /// Nil if the values cannot be compared, or if the row is for information only.
    package var verdict: LimitTest.Outcome?
    /// False: the row is for information only.
    package var isJudged: Bool
  }

  /// A count that does not vary.
  package struct CountRow: Sendable, Encodable {
    package enum Kind: String, Sendable, Encodable {
      case libraries = "shared libraries"
      case initializers, relocations
    }
    package var kind: Kind
    package var old: Int
    package var new: Int
    /// Names of new entries.
    package var added: [String]
    var isRegression: Bool
    /// False: for information only.
    package var isJudged: Bool

    enum CodingKeys: String, CodingKey {
      case kind, old, new, added
      case isRegression = "regression"
    }
  }

  package struct OrderRow: Sendable, Encodable {
    package var old: Double
    package var new: Double
    var isRegression: Bool
    /// False: for information only.
    package var isJudged: Bool

    enum CodingKeys: String, CodingKey {
      case old, new
      case isRegression = "regression"
    }
  }

  package var metrics: [MetricRow]
  package var counts: [CountRow]
  package var order: OrderRow?
  package var maxRegression: Double
  /// By time metric: how much slower the reference work is now than at the time of the baseline, with bounds.
  /// Empty if both programs were measured in turn.
  package var drift: [StartupMetric: RatioEstimate]

  /// The metrics that gates judge.
  package static let metrics: [StartupMetric] = [.time, .cpuTime, .majorFaults, .minorFaults]
  /// A few more or fewer faults do not count, because the loader places mappings at random.
  static let faultSlack = 8.0
  /// A few more relocations do not count.
  static let relocationSlack = 16

  /// - Parameters:
  ///   - comparable: the metrics whose values can be compared.
  ///   - judged: the rows that decide; other rows are for information only.
  ///   - looks: the highest number of interim analyses of the runs.
  package init(
    old: [StartupMetric: Sample], new: [StartupMetric: Sample], comparable: Set<StartupMetric>,
    inventory: (old: StartupInventory, new: StartupInventory),
    order: (old: Double, new: Double)?, judged: Set<GateRow> = Set(GateRow.allCases),
    maxRegression: Double, looks: Int, drift: [StartupMetric: RatioEstimate]
  ) {
    self.maxRegression = maxRegression
    self.drift = drift
    let present = Self.metrics.filter { (old[$0]?.count ?? 0) > 0 && (new[$0]?.count ?? 0) > 0 }
    func isJudged(_ metric: StartupMetric) -> Bool {
      GateRow(metric).map(judged.contains) ?? true
    }
    let rule = LimitTest(
      maxRegression: maxRegression, looks: looks, metrics: max(1, present.count(where: isJudged)))
    metrics = present.map { metric in
      let (before, after) = (old[metric]!, new[metric]!)
      return MetricRow(
        metric: metric, old: before, new: after,
        ratio: RatioEstimate(from: before, to: after),
        verdict: comparable.contains(metric) && isJudged(metric)
          ? rule.verdict(
            before, after, slack: metric.isTime ? 0 : Self.faultSlack,
            drift: drift[metric].map { Self.explained($0, metric) } ?? 1...1) : nil,
        isJudged: isJudged(metric))
    }
    let (before, after) = inventory
    let libraries = after.newLibraries(since: before)
    let initializers = after.newInitializers(since: before)
    let allowed =
      Double(before.relocationCount) * (1 + maxRegression) + Double(Self.relocationSlack)
    counts = [
      CountRow(
        kind: .libraries, old: before.libraries.count, new: after.libraries.count,
        added: libraries, isRegression: judged.contains(.libraries) && !libraries.isEmpty,
        isJudged: judged.contains(.libraries)),
      CountRow(
        kind: .initializers, old: before.initializerCount, new: after.initializerCount,
        added: initializers,
        isRegression: judged.contains(.initializers) && !initializers.isEmpty,
        isJudged: judged.contains(.initializers)),
      CountRow(
        kind: .relocations, old: before.relocationCount, new: after.relocationCount,
        added: Self.grown(before, after),
        isRegression: judged.contains(.relocations) && Double(after.relocationCount) > allowed,
        isJudged: judged.contains(.relocations)),
    ]
    self.order = order.map {
      OrderRow(
        old: $0.old, new: $0.new,
        isRegression: judged.contains(.order) && $0.new < $0.old * (1 - maxRegression),
        isJudged: judged.contains(.order))
    }
  }

  /// The change of a metric that the machine's drift explains. With a load of 14 the reference work took 18%
  /// more CPU time, and a web service 25%, since it reads more memory. So the ratio of CPU time is raised to the
  /// power of 1.5. The bounds of elapsed time are wide enough without that.
  private static func explained(
    _ drift: RatioEstimate, _ metric: StartupMetric
  ) -> ClosedRange<Double> {
    func granted(_ ratio: Double) -> Double {
      metric == .cpuTime ? ratio * ratio.squareRoot() : ratio
    }
    return granted(drift.lower)...granted(drift.upper)
  }

  /// Images with more relocations than before, the most first.
  private static func grown(_ old: StartupInventory, _ new: StartupInventory) -> [String] {
    new.relocations.map { (name: $0.key, more: $0.value - (old.relocations[$0.key] ?? 0)) }
      .filter { $0.more > 0 }.sorted { ($1.more, $0.name) < ($0.more, $1.name) }
      .map { "\($0.more) in \($0.name)" }
  }

  /// Ignores rows whose values cannot be compared: they have no verdict.
  package var outcome: LimitTest.Outcome {
    if metrics.contains(where: { $0.verdict == .higher })
      || counts.contains(where: \.isRegression) || order?.isRegression == true
    {
      return .higher
    }
    return metrics.contains { $0.verdict == .inconclusive } ? .inconclusive : .fine
  }

  /// About how many runs of each program would decide, by the spread of those that were measured. Nil if the gate has
  /// decided, or if a change is so near the limit that it would take more than a hundred times as many.
  package var decidingRuns: Int? {
    let needed = metrics.filter { $0.verdict == .inconclusive }.map { row -> Double in
      guard let ratio = row.ratio, ratio.upper > ratio.lower else { return .infinity }
      // The interval has 95%; its width falls with the square root of the number of runs.
      let deviation = (ratio.upper - ratio.lower) / 2 / 1.96
      let distance = ratio.ratio - (1 + maxRegression)
      // Standard deviations at which the tests of `LimitTest` decide after three looks.
      let deviations = distance > 0 ? 3.0 : 2.2
      let more = deviations * deviation / distance
      return Double(row.new.count) * more * more
    }
    guard let most = needed.max(), let count = metrics.map(\.new.count).max(),
      most < 100 * Double(count)
    else { return nil }
    return max(Int(most.rounded(.up)), count + 1)
  }
}
