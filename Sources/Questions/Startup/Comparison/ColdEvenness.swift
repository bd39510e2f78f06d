import FirstlightModel

/// Whether two cold-started programs found equally much of their files in memory before they began.
///
/// Pages that another process has mapped cannot be dropped. If one program has most of its code in such a
/// library and the other in its own file, only the other reads the code from disk. The times then depend on the
/// other processes of the machine.
package struct ColdEvenness: Sendable {
  /// 4 KiB pages of mapped files that were in memory before the program began; medians.
  package let foundByA, foundByB: Double

  /// The tolerated difference, as a share of the mapped file pages of the larger program.
  package static let tolerance = 0.05

  package let isEven: Bool

  /// Nil if the pages were not measured.
  init?(a: [StartupRun], b: [StartupRun]) {
    let sampleA = Self.sample(a, .foundPages)
    let sampleB = Self.sample(b, .foundPages)
    guard sampleA.count > 0, sampleB.count > 0 else { return nil }
    foundByA = sampleA.median
    foundByB = sampleB.median
    let limit = max(max(Self.mapped(a), Self.mapped(b)) * Self.tolerance, 1)
    // Other processes come and go, and the pages that they leave in memory help both programs alike.
    isEven = abs(foundByA - foundByB) <= limit || RankTest(sampleA, sampleB).p >= Self.level
  }

  /// The significance level: with five runs each, all runs of one side have to find more than all of the other.
  /// It is stricter than the level for metrics, because uneven starts make all times invalid.
  private static let level = 0.01

  /// Mapped 4 KiB pages of files, from KiB.
  private static func mapped(_ runs: [StartupRun]) -> Double {
    let sample = sample(runs, .rssFile)
    return sample.count > 0 ? sample.median / 4 : 0
  }

  private static func sample(_ runs: [StartupRun], _ metric: StartupMetric) -> Sample {
    Sample(runs.compactMap { $0.values[metric] })
  }

  /// Whether a metric depends on the amount of data read.
  static func concerns(_ metric: StartupMetric) -> Bool {
    switch metric {
    case .time, .cpuTime, .majorFaults, .minorFaults: true
    case .cachedPages, .foundPages, .rss, .rssFile, .rssAnonymous, .rssShared: false
    }
  }
}
