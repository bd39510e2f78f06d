import Glibc

/// How likely something is at most, after it was seen in some of many trials.
package enum BinomialBound {
  /// The upper end of the one-sided Clopper-Pearson interval: with this probability or a higher one,
  /// so few successes or fewer come up in only `1 - confidence` of all cases. Of none in n trials
  /// about 3/n at 95% (the "rule of three").
  ///
  /// Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the
  /// binomial", Biometrika 26 (1934).
  ///
  /// - Returns: a probability; 1 where there were no trials.
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
    // The fraction converges fast only on this side of the mean.
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
