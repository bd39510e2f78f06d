/// A quantity measured in each start-up. The raw value is its name in JSON.
package enum StartupMetric: String, Encodable, CodingKeyRepresentable, CaseIterable, Sendable {
  /// Milliseconds from before exec to the moment of ready.
  case time = "milliseconds"
  /// Milliseconds of CPU time until then, all its threads together.
  case cpuTime = "cpuMilliseconds"
  case majorFaults
  case minorFaults
  /// 4 KiB pages of the binary in the page cache at the moment of ready: touched or read ahead.
  case cachedPages
  /// 4 KiB pages of files that it has mapped at the moment of ready and that were in memory before it began,
  /// though all that could be dropped was.
  case foundPages
  /// KiB of memory the process has at the moment of ready, in all and by kind.
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

  /// Digits after the point that the measurement can bear.
  package var digits: Int { isTime ? 2 : 0 }

  /// Whether it is a time, which goes with the machine's speed.
  package var isTime: Bool { self == .time || self == .cpuTime }
}

/// What was measured in one start-up.
package struct StartupRun: Sendable {
  /// What could be measured; in the same runs the same.
  package var values: [StartupMetric: Double]
  /// Milliseconds by which the moment of ready may have been seen too late.
  package var lateness = 0.0

  /// The lateness that a time can bear, as a share of it.
  package static let tolerance = 0.1

  /// Whether readiness was seen early enough to know how long the start took.
  package var isResolved: Bool {
    values[.time].map { lateness <= $0 * Self.tolerance } ?? true
  }

  package init(values: [StartupMetric: Double]) {
    self.values = values
  }
}
