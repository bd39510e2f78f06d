import FirstlightModel

/// Histograms of the stages of traced starts, one for each kind.
package struct StageHistograms: Hashable, Sendable {
  /// Bucket times are a thousandth of `StartupHistogram`'s, since stages last microseconds.
  package var histograms: [LaunchStage.Kind: StartupHistogram]

  private static let finer = 1000.0

  package init(histograms: [LaunchStage.Kind: StartupHistogram] = [:]) {
    self.histograms = histograms
  }

  package var isEmpty: Bool { histograms.isEmpty }

  /// - Parameter seconds: the duration of each stage of one start.
  package mutating func add(_ seconds: [LaunchStage.Kind: Double]) {
    for (kind, time) in seconds {
      histograms[kind, default: StartupHistogram()].add(time * Self.finer)
    }
  }

  package mutating func add(_ other: StageHistograms) {
    for (kind, histogram) in other.histograms {
      histograms[kind, default: StartupHistogram()].add(histogram)
    }
  }

  mutating func subtract(_ earlier: StageHistograms) {
    for (kind, histogram) in earlier.histograms { histograms[kind]?.subtract(histogram) }
    histograms = histograms.filter { !$0.value.counts.isEmpty }
  }

  /// Number of starts with this stage.
  package func total(_ kind: LaunchStage.Kind) -> Int { histograms[kind]?.total ?? 0 }

  /// The maximum time of this stage in a share of all starts, seconds; nil if there are none.
  package func percentile(_ share: Double, of kind: LaunchStage.Kind) -> Double? {
    histograms[kind]?.percentile(share).map { $0 / Self.finer }
  }
}
