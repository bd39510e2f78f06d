/// Decides whether a metric rose above a limit: higher, fine, or undecided.
///
/// With enough runs, any two samples differ; the question is whether the new one is above the limit. So
/// the old sample is raised to the limit and the rank test is run twice: is the new one above it, or is
/// it below? If neither can be shown, the result is undecided. When measured in several steps, the
/// levels are divided among them (Bonferroni).
package struct LimitTest: Sendable {
  /// How much higher is allowed: 0.05 for 5%.
  package var maxRegression: Double
  /// How often the test is made at most: looks at the runs, times measures that are judged.
  package var looks: Int
  package var metrics: Int

  /// The chance, over all looks and measures, to call something higher that is at the limit. What is
  /// no higher at all is called so far more rarely.
  package static let alarmLevel = 0.01
  /// The chance, of one measure over all looks, to let something pass that is at the limit.
  package static let passLevel = 0.05

  package init(maxRegression: Double, looks: Int, metrics: Int) {
    self.maxRegression = maxRegression
    self.looks = looks
    self.metrics = metrics
  }

  package enum Verdict: String, Sendable {
    case higher
    case fine
    case undecided = "too noisy to tell"
  }

  /// - Parameters:
  ///   - slack: how much higher is allowed beside the share, in the measure's unit.
  ///   - drift: between which bounds it lies how much slower the machine was than with the old
  ///     sample; 1.1: by a tenth. It can explain a difference away, and never makes up for one.
  package func verdict(
    _ old: Sample, _ new: Sample, slack: Double = 0, drift: ClosedRange<Double> = 1...1
  ) -> Verdict {
    func test(_ factor: Double) -> RankTest {
      RankTest(Sample(old.sorted.map { $0 * (1 + maxRegression) * factor + slack }), new)
    }
    // The test is two-sided, so a level is twice that of one side.
    let above = test(max(1, drift.upperBound))
    if above.effect > 0, above.p < 2 * Self.alarmLevel / Double(looks * metrics) { return .higher }
    let below = test(min(1, drift.lowerBound))
    if below.effect < 0, below.p < 2 * Self.passLevel / Double(looks) { return .fine }
    return .undecided
  }
}
