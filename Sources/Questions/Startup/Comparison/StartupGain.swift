/// The rule by which `optimize` recommends: whether B's faster start-up is worth its price.
///
/// A gain has to be significant. A longer time to ready only has to be likely, because users who follow a
/// recommendation do not measure again.
package struct StartupGain: Sendable {
  package enum Verdict: String, Sendable {
    case worthIt = "worth it"
    /// Fewer faults or less memory, but no less time.
    case noTime = "no time gained"
    case mixed
    case none = "no gain"
  }

  /// Rows that fell or rose far enough.
  package let gains, losses: [StartupComparison.Row]

  /// The smallest change that counts, as a share of the median.
  package static let share = StartupComparison.leastDifference.share

  /// The rule in one sentence.
  package static let rule =
    "time to ready or CPU time is measurably lower, by 5% or more, and neither of them, nor major faults, "
    + "pages read or memory, is higher by as much"

  package init(_ comparison: StartupComparison) {
    gains = comparison.rows.filter { Self.counts($0, -1) && $0.verdict == .lower }
    losses = comparison.rows.filter { row in
      Self.counts(row, 1) && (row.verdict == .higher || Self.isDoubtful(row))
    }
  }

  /// Whether a longer time to ready is likely, although not significant.
  private static func isDoubtful(_ row: StartupComparison.Row) -> Bool {
    row.metric == .time && [.same, .unresolved].contains(row.verdict) && row.shift != nil
      && row.test.effect > 0.2
  }

  package var verdict: Verdict {
    if gains.isEmpty { return .none }
    if !losses.isEmpty { return .mixed }
    return gains.contains { $0.metric.isTime } ? .worthIt : .noTime
  }

  /// Whether the median changed far enough in a direction.
  private static func counts(_ row: StartupComparison.Row, _ direction: Double) -> Bool {
    guard let least = least(row.metric) else { return false }
    let change = (row.b.median - row.a.median) * direction
    return change >= least && change >= row.a.median * share
  }

  /// The smallest noticeable difference; nil for a metric that is no goal in itself.
  private static func least(_ metric: StartupMetric) -> Double? {
    switch metric {
    case .time, .cpuTime: StartupComparison.leastDifference.milliseconds
    case .majorFaults: 8
    case .cachedPages: 16
    case .rss, .rssAnonymous: 64
    case .minorFaults, .foundPages, .rssFile, .rssShared: nil
    }
  }
}
