import RunStatistics

/// Whether two programs that were started cold found as much of their files in memory before they began.
///
/// Pages that another process has mapped cannot be dropped. Where one program has most of its code in such a
/// library and the other in its own file, only the other reads it from disk: their times then depend on what
/// else runs on the machine.
package struct ColdEvenness: Sendable {
  /// 4 KiB pages of files that a program mapped, and that were in memory before it began; medians.
  package let foundByA, foundByB: Double

  /// Of the pages of files that the larger one maps, the share by which they may differ.
  package static let tolerance = 0.05

  package let isEven: Bool

  /// Nil if it was not measured.
  package init?(a: [StartupRun], b: [StartupRun]) {
    let sampleA = Self.sample(a, .foundPages)
    let sampleB = Self.sample(b, .foundPages)
    guard sampleA.count > 0, sampleB.count > 0 else { return nil }
    foundByA = sampleA.median
    foundByB = sampleB.median
    let limit = Self.limit(Self.mapped(a), Self.mapped(b))
    // Others come and go: what they leave in memory now and then meets both alike.
    isEven = abs(foundByA - foundByB) <= limit || RankTest(sampleA, sampleB).p >= Self.level
  }

  /// Of one start each.
  ///
  /// - Parameters:
  ///   - foundOnlyByA, foundOnlyByB: pages of files that the other one did not map. What both map, either
  ///     can find in memory.
  ///   - a, b: the starts.
  package init(foundOnlyByA: Int, _ a: StartupRun, foundOnlyByB: Int, _ b: StartupRun) {
    foundByA = Double(foundOnlyByA)
    foundByB = Double(foundOnlyByB)
    isEven = abs(foundByA - foundByB) <= Self.limit(Self.mapped([a]), Self.mapped([b]))
  }

  /// The probability below which a difference counts as one: of five runs each, that all of one side found
  /// more than all of the other. A verdict of unfairness takes more than a difference of a metric: it
  /// takes away all times.
  private static let level = 0.01

  private static func limit(_ a: Double, _ b: Double) -> Double { max(max(a, b) * tolerance, 1) }

  /// Pages of files, from KiB.
  private static func mapped(_ runs: [StartupRun]) -> Double {
    let sample = sample(runs, .rssFile)
    return sample.count > 0 ? sample.median / 4 : 0
  }

  private static func sample(_ runs: [StartupRun], _ metric: StartupMetric) -> Sample {
    Sample(runs.compactMap { $0.values[metric] })
  }

  /// Measures that go with how much had to be read.
  package static func concerns(_ metric: StartupMetric) -> Bool {
    switch metric {
    case .time, .cpuTime, .majorFaults, .minorFaults: true
    case .cachedPages, .foundPages, .rss, .rssFile, .rssAnonymous, .rssShared: false
    }
  }
}
