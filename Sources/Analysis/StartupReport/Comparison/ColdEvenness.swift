import RunStatistics

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
  package init?(a: [StartupRun], b: [StartupRun]) {
    let sampleA = Self.sample(a, .foundPages)
    let sampleB = Self.sample(b, .foundPages)
    guard sampleA.count > 0, sampleB.count > 0 else { return nil }
    foundByA = sampleA.median
    foundByB = sampleB.median
    let limit = Self.limit(Self.mapped(a), Self.mapped(b))
    // Other processes come and go, and the pages that they leave in memory help both programs alike.
    isEven = abs(foundByA - foundByB) <= limit || RankTest(sampleA, sampleB).p >= Self.level
  }

  /// Compares one start of each.
  ///
  /// - Parameters:
  ///   - foundOnlyByA, foundOnlyByB: pages of files that the other program did not map. Either program can find
  ///     pages of common files in memory.
  ///   - a, b: the starts.
  package init(foundOnlyByA: Int, _ a: StartupRun, foundOnlyByB: Int, _ b: StartupRun) {
    foundByA = Double(foundOnlyByA)
    foundByB = Double(foundOnlyByB)
    isEven = abs(foundByA - foundByB) <= Self.limit(Self.mapped([a]), Self.mapped([b]))
  }

  /// The significance level: with five runs each, all runs of one side have to find more than all of the other.
  /// It is stricter than the level for metrics, because uneven starts make all times invalid.
  private static let level = 0.01

  private static func limit(_ a: Double, _ b: Double) -> Double { max(max(a, b) * tolerance, 1) }

  /// Mapped 4 KiB pages of files, from KiB.
  private static func mapped(_ runs: [StartupRun]) -> Double {
    let sample = sample(runs, .rssFile)
    return sample.count > 0 ? sample.median / 4 : 0
  }

  private static func sample(_ runs: [StartupRun], _ metric: StartupMetric) -> Sample {
    Sample(runs.compactMap { $0.values[metric] })
  }

  /// Whether a metric depends on the amount of data read.
  package static func concerns(_ metric: StartupMetric) -> Bool {
    switch metric {
    case .time, .initialization, .cpuTime, .majorFaults, .minorFaults: true
    case .cachedPages, .foundPages, .rss, .rssFile, .rssAnonymous, .rssShared: false
    }
  }
}
