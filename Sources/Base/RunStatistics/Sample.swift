/// Values measured under the same conditions, one of each run.
package struct Sample: Sendable {
  /// Rising.
  package let sorted: [Double]

  package init(_ values: [Double]) {
    sorted = values.sorted()
  }

  package var count: Int { sorted.count }

  /// The middle value, or the mean of the two in the middle; NaN of no values.
  package var median: Double { quantile(0.5) }

  /// Where the share `p` of the values lies below: linear between neighbours (Hyndman and Fan's
  /// type 7, what R and NumPy do by default); NaN of no values.
  package func quantile(_ p: Double) -> Double {
    guard let last = sorted.last else { return .nan }
    let place = p * Double(count - 1)
    let low = Int(place)
    guard low + 1 < count else { return last }
    return sorted[low] + (place - Double(low)) * (sorted[low + 1] - sorted[low])
  }

  /// Distance between the quartiles: the middle half of the values lies this close together.
  package var interquartileRange: Double { quantile(0.75) - quantile(0.25) }

  /// Median distance from the median, not scaled to a standard deviation.
  package var medianAbsoluteDeviation: Double {
    let median = median
    return Sample(sorted.map { abs($0 - median) }).median
  }
}
