import FirstlightModel

/// How long the stages of starts took: of each kind a histogram, of starts that were watched.
public struct StageHistograms: Hashable, Sendable {
  /// Starts by bucket of a time that is a thousandth of what `StartupHistogram` says: stages are
  /// microseconds long.
  public var histograms: [LaunchStage.Kind: StartupHistogram]

  private static let finer = 1000.0

  public init(histograms: [LaunchStage.Kind: StartupHistogram] = [:]) {
    self.histograms = histograms
  }

  public var isEmpty: Bool { histograms.isEmpty }

  /// - Parameter seconds: of each stage of one start.
  public mutating func add(_ seconds: [LaunchStage.Kind: Double]) {
    for (kind, time) in seconds {
      histograms[kind, default: StartupHistogram()].add(time * Self.finer)
    }
  }

  public mutating func add(_ other: StageHistograms) {
    for (kind, histogram) in other.histograms {
      histograms[kind, default: StartupHistogram()].add(histogram)
    }
  }

  /// Starts of which this stage is known.
  public func total(_ kind: LaunchStage.Kind) -> Int { histograms[kind]?.total ?? 0 }

  /// The time that a share of all starts took for a stage at most, seconds; nil if there are none.
  public func percentile(_ share: Double, of kind: LaunchStage.Kind) -> Double? {
    histograms[kind]?.percentile(share).map { $0 / Self.finer }
  }
}
