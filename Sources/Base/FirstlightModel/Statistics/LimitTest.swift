import Glibc

/// Decides whether a metric rose above a limit: higher, fine or inconclusive.
///
/// With enough runs, any two samples differ; the question is whether the new one is above the
/// limit. So the old sample is scaled up to the limit, and the rank test runs twice: is the new
/// sample above it, or below it? The result is inconclusive if neither is significant. If there are
/// several looks at growing data, the levels are divided among them (Bonferroni).
package struct LimitTest: Sendable {
  /// The allowed increase: 0.05 for 5%.
  package var maxRegression: Double
  /// Maximum number of tests: looks at the data, times tested metrics.
  package var looks: Int
  package var metrics: Int

  /// Probability, over all looks and metrics, that a metric exactly at the limit is called higher.
  /// Below the limit, such errors are much rarer.
  static let alarmLevel = 0.01
  /// Probability, for one metric over all looks, that a metric exactly at the limit passes.
  static let passLevel = 0.05

  package init(maxRegression: Double, looks: Int, metrics: Int) {
    self.maxRegression = maxRegression
    self.looks = looks
    self.metrics = metrics
  }

  package enum Outcome: String, Sendable {
    case higher
    case fine
    case inconclusive = "too noisy to tell"
  }

  /// - Parameters:
  ///   - slack: an additional absolute increase that is allowed, in the metric's unit.
  ///   - drift: bounds of the machine's slowdown since the old sample; 1.1 means 10% slower. Drift
  ///     can excuse a difference, but never creates one.
  package func verdict(
    _ old: Sample, _ new: Sample, slack: Double = 0, drift: ClosedRange<Double> = 1...1
  ) -> Outcome {
    func test(_ factor: Double) -> RankTest {
      RankTest(Sample(old.sorted.map { $0 * (1 + maxRegression) * factor + slack }), new)
    }
    // The test is two-sided, so its level is twice that of one side.
    let above = test(max(1, drift.upperBound))
    if above.effect > 0, above.p < 2 * Self.alarmLevel / Double(looks * metrics) { return .higher }
    let below = test(min(1, drift.lowerBound))
    if below.effect < 0, below.p < 2 * Self.passLevel / Double(looks) { return .fine }
    return .inconclusive
  }
}
