/// Values measured under the same conditions, one for each run.
package struct Sample: Sendable {
  /// Rising.
  package let sorted: [Double]

  package init(_ values: [Double]) {
    sorted = values.sorted()
  }

  package var count: Int { sorted.count }

  /// The middle value, or the mean of the two middle values; NaN if empty.
  package var median: Double { quantile(0.5) }

  /// The quantile of share `p`, with linear interpolation (Hyndman and Fan's type 7, the default of
  /// R and NumPy); NaN if empty.
  package func quantile(_ p: Double) -> Double {
    guard let last = sorted.last else { return .nan }
    let place = p * Double(count - 1)
    let low = Int(place)
    guard low + 1 < count else { return last }
    return sorted[low] + (place - Double(low)) * (sorted[low + 1] - sorted[low])
  }

  /// Distance between the quartiles: the width of the middle half of the values.
  package var interquartileRange: Double { quantile(0.75) - quantile(0.25) }

  /// Median distance from the median, not scaled to a standard deviation.
  package var medianAbsoluteDeviation: Double {
    let median = median
    return Sample(sorted.map { abs($0 - median) }).median
  }
}
