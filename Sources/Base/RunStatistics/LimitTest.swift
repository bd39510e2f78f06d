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
  package static let alarmLevel = 0.01
  /// Probability, for one metric over all looks, that a metric exactly at the limit passes.
  package static let passLevel = 0.05

  package init(maxRegression: Double, looks: Int, metrics: Int) {
    self.maxRegression = maxRegression
    self.looks = looks
    self.metrics = metrics
  }

  package enum Verdict: String, Sendable {
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
  ) -> Verdict {
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
    if successes <= 0 { return 1 - pow(tail, 1 / Double(trials)) }
    // P(X <= k) = I(1-p; n-k, k+1), which falls as p rises.
    let a = Double(trials - successes)
    let b = Double(successes + 1)
    var low = Double(successes) / Double(trials)
    var high = 1.0
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if incompleteBeta(1 - middle, a, b) > tail { low = middle } else { high = middle }
    }
    return high
  }

  /// The regularized incomplete beta function I(x; a, b) by its continued fraction, evaluated with
  /// Lentz's method (NIST Digital Library of Mathematical Functions, 8.17.22).
  static func incompleteBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
    if x <= 0 { return 0 }
    if x >= 1 { return 1 }
    // The fraction converges quickly only on this side of the mean.
    if x > (a + 1) / (a + b + 2) { return 1 - incompleteBeta(1 - x, b, a) }
    let front =
      exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * log(x) + b * log1p(-x)) / a
    let tiny = 1e-300
    var c = 1.0
    var d = 1 - (a + b) * x / (a + 1)
    if abs(d) < tiny { d = tiny }
    d = 1 / d
    var fraction = d
    for step in 1...10_000 {
      let m = Double(step)
      for numerator in [
        m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
        -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
      ] {
        d = 1 + numerator * d
        if abs(d) < tiny { d = tiny }
        c = 1 + numerator / c
        if abs(c) < tiny { c = tiny }
        d = 1 / d
        fraction *= d * c
      }
      if abs(d * c - 1) < 1e-14 { break }
    }
    return front * fraction
  }

  private static func logGamma(_ value: Double) -> Double {
    var sign: Int32 = 0
    return lgamma_r(value, &sign)
  }
}
