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

/// An upper bound of a probability after some successes in many trials.
package enum BinomialBound {
  /// The upper end of the one-sided Clopper-Pearson interval: if the probability is this high, chance
  /// gives so few successes in only `1 - confidence` of all cases. With no success in n trials it is
  /// about 3/n at 95% (the "rule of three").
  ///
  /// Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the
  /// binomial", Biometrika 26 (1934).
  ///
  /// - Returns: a probability; 1 without trials.
  package static func upper(successes: Int, of trials: Int, confidence: Double = 0.95) -> Double {
    guard trials > 0, successes < trials else { return 1 }
    let tail = 1 - confidence
    // P(X <= successes), which falls as the probability rises.
    func chance(_ probability: Double) -> Double {
      var term = Double(trials) * log1p(-probability)
      var sum = exp(term)
      for k in 0..<max(0, successes) {
        term += log(Double(trials - k) / Double(k + 1)) + log(probability) - log1p(-probability)
        sum += exp(term)
      }
      return sum
    }
    var low = Double(max(0, successes)) / Double(trials)
    var high = 1.0
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if chance(middle) > tail { low = middle } else { high = middle }
    }
    return high
  }
}
