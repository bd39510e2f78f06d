import FirstlightModel

/// A quantity measured in each start-up. The raw value is its name in JSON.
package enum StartupMetric: String, Encodable, CodingKeyRepresentable, CaseIterable, Sendable {
  /// Milliseconds from before exec to readiness.
  case time = "milliseconds"
  /// Milliseconds of CPU time of all threads until readiness.
  case cpuTime = "cpuMilliseconds"
  case majorFaults
  case minorFaults
  /// 4 KiB pages of the binary in the page cache at readiness: touched or read ahead.
  case cachedPages
  /// 4 KiB pages of mapped files at readiness that were in memory before the program began, although all pages
  /// that can be dropped were dropped.
  case foundPages
  /// KiB of the process's memory at readiness, in all and by kind.
  case rss, rssFile, rssAnonymous, rssShared

  package var title: String {
    switch self {
    case .time: "time to ready"
    case .cpuTime: "CPU time"
    case .majorFaults: "major faults"
    case .minorFaults: "minor faults"
    case .cachedPages: "pages of the binary read"
    case .foundPages: "pages of files in memory before"
    case .rss: "RSS"
    case .rssFile: "RSS of files"
    case .rssAnonymous: "anonymous RSS"
    case .rssShared: "RSS of shared memory"
    }
  }

  package var unit: String {
    switch self {
    case .time, .cpuTime: "ms"
    case .majorFaults, .minorFaults: "faults"
    case .cachedPages, .foundPages: "4 KiB pages"
    case .rss, .rssFile, .rssAnonymous, .rssShared: "KiB"
    }
  }

  /// Meaningful digits after the decimal point.
  package var digits: Int { isTime ? 2 : 0 }

  /// Whether the metric is a time, so that it depends on the machine's speed.
  var isTime: Bool { unit == "ms" }
}

/// The measurements of one start-up.
package struct StartupRun: Sendable {
  /// The metrics that could be measured: the same in all runs of a series.
  package var values: [StartupMetric: Double]
  /// The longest possible delay, in milliseconds, until readiness was seen.
  package var lateness = 0.0

  /// The tolerated lateness, as a share of the time.
  package static let tolerance = 0.1

  /// Whether readiness was seen early enough to know the duration of the start.
  var isResolved: Bool {
    values[.time].map { lateness <= $0 * Self.tolerance } ?? true
  }

  package init(values: [StartupMetric: Double]) {
    self.values = values
  }
}
