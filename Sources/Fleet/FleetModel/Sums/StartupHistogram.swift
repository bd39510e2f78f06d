import FirstlightModel

/// A histogram of start-up times. Each bucket is a twentieth wider than the previous one, so
/// percentiles are accurate to 2.5%, and sums of histograms are histograms.
package struct StartupHistogram: Hashable, Sendable {
  /// Number of starts by bucket.
  package var counts: [Int32: Int]

  package init(counts: [Int32: Int] = [:]) { self.counts = counts }

  /// The bucket of a time in seconds; times below 0.1 ms are in bucket 0.
  package static func bucket(of seconds: Double) -> Int32 {
    guard seconds > shortest else { return 0 }
    var bucket: Int32 = 0
    var end = shortest
    // A start of a day has bucket 424. No logarithm is used, since its last digit differs between C libraries.
    while end < seconds, bucket < lastBucket {
      end *= 1.05
      bucket += 1
    }
    return bucket
  }

  /// The time that represents a bucket: its middle, seconds.
  package static func seconds(of bucket: Int32) -> Double {
    var end = shortest
    for _ in 0..<max(0, min(bucket, lastBucket)) { end *= 1.05 }
    return bucket == 0 ? shortest : end / 1.025
  }

  package var total: Int { counts.values.reduce(0) { $0.addingClamped($1) } }

  package mutating func add(_ seconds: Double) { counts[Self.bucket(of: seconds), default: 0] += 1 }

  package mutating func add(_ other: StartupHistogram) {
    counts.merge(other.counts) { $0.addingClamped($1) }
  }

  mutating func subtract(_ earlier: StartupHistogram) {
    for (bucket, count) in earlier.counts { counts[bucket, default: 0] -= count }
    counts = counts.filter { $0.value > 0 }
  }

  /// The maximum time of a share of all starts, seconds; nil if there are none.
  package func percentile(_ share: Double) -> Double? {
    let total = total
    guard total > 0 else { return nil }
    var left = max(1, Int(clamping: (Double(total) * share).rounded(.up)))
    for (bucket, count) in counts.sorted(by: { $0.key < $1.key }) {
      left -= count
      if left <= 0 { return Self.seconds(of: bucket) }
    }
    return nil
  }

  private static let shortest = 0.0001
  /// Beyond any time that a batch can contain.
  private static let lastBucket: Int32 = 1000
}
