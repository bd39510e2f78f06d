/// The ratio between the values of two samples.
///
/// The median of all pairwise ratios, with a confidence interval: the ratios for which dividing one
/// sample would leave the rank test without a significant difference. Hodges and Lehmann, Annals of
/// Mathematical Statistics 34 (1963), on logarithms; the interval by Moses, in Hollander and Wolfe,
/// Nonparametric Statistical Methods, chapter 4.
package struct RatioEstimate: Hashable, Sendable, Encodable {
  package let ratio: Double
  package let lower: Double
  package let upper: Double

  /// - Parameter deviations: half the width of the interval, in standard deviations of the test's
  ///   statistic; 1.96 for 95% confidence.
  /// - Returns: nil if a sample is empty, or the first contains a value that is not positive.
  package init?(from a: Sample, to b: Sample, deviations: Double = 1.96) {
    guard let smallest = a.sorted.first, smallest > 0, b.count > 0 else { return nil }
    let sorted = Sample(b.sorted.flatMap { value in a.sorted.map { value / $0 } })
    ratio = sorted.median
    let pairs = Double(sorted.count)
    let deviation = (pairs * Double(a.count + b.count + 1) / 12).squareRoot()
    let place = max(0, Int((pairs / 2 - deviations * deviation).rounded(.down)))
    lower = sorted.sorted[min(place, sorted.count - 1)]
    upper = sorted.sorted[max(0, sorted.count - 1 - place)]
  }
}
