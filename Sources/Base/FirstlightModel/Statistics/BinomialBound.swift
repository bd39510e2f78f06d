import Glibc

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
