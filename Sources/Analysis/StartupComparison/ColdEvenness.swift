import RunStatistics

/// Whether two programs that were started cold found as much of their files in memory before they began.
///
/// Pages that another process has mapped cannot be dropped. Where one program has most of its code in such a
/// library and the other in its own file, only the other reads it from disk: their times then tell what
/// else runs on the machine.
package struct ColdEvenness: Sendable {
  /// 4 KiB pages of files that a program mapped, and that were in memory before it began; medians.
  package let foundByA, foundByB: Double

  /// Of the pages of files that the larger one maps, the share by which they may differ.
  package static let tolerance = 0.05

  package let isEven: Bool

  /// Nil if it was not measured.
  package init?(a: [StartupRun], b: [StartupRun]) {
    func median(_ runs: [StartupRun], _ metric: StartupMetric) -> Double? {
      let values = runs.compactMap { $0.values[metric] }
      return values.isEmpty ? nil : Sample(values).median
    }
    guard let foundByA = median(a, .foundPages), let foundByB = median(b, .foundPages) else {
      return nil
    }
    (self.foundByA, self.foundByB) = (foundByA, foundByB)
    let mapped = max(median(a, .rssFile) ?? 0, median(b, .rssFile) ?? 0) / 4
    isEven = abs(foundByA - foundByB) <= max(mapped * Self.tolerance, 1)
  }

  /// Measures that go with how much had to be read.
  package static func concerns(_ metric: StartupMetric) -> Bool {
    switch metric {
    case .time, .cpuTime, .majorFaults, .minorFaults: true
    case .cachedPages, .foundPages, .rss, .rssFile, .rssAnonymous, .rssShared: false
    }
  }
}
