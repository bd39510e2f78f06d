import FirstlightModel

/// How long the stages of starts took: of each kind a histogram, of starts that were watched.
package struct StageHistograms: Hashable, Sendable {
  /// Starts by bucket of a time that is a thousandth of what `StartupHistogram` says: stages are
  /// microseconds long.
  package var histograms: [LaunchStage.Kind: StartupHistogram]

  private static let finer = 1000.0

  package init(histograms: [LaunchStage.Kind: StartupHistogram] = [:]) {
    self.histograms = histograms
  }

  package var isEmpty: Bool { histograms.isEmpty }

  /// - Parameter seconds: of each stage of one start.
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

  /// Starts of which this stage is known.
  package func total(_ kind: LaunchStage.Kind) -> Int { histograms[kind]?.total ?? 0 }

  /// The time that a share of all starts took for a stage at most, seconds; nil if there are none.
  package func percentile(_ share: Double, of kind: LaunchStage.Kind) -> Double? {
    histograms[kind]?.percentile(share).map { $0 / Self.finer }
  }
}
