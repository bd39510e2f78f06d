import FirstlightModel
import SystemSupport

/// A build in a store.
package struct FleetBuild: Hashable, Sendable {
  package var key: BuildKey
  /// The names of the image's file, at most `ImageNames.limit`; the store of one host has their paths.
  package var names: ImageNames
  package var isExecutable: Bool
  package var guardCount: Int
  /// Number of different `guardCount` that were reported, at most `TraceLimits.claims` and that of its binary.
  package var claims: Int
  /// Whether function names are known.
  package var hasFunctions: Bool
  package var versions: BuildVersions
  /// Days of the first and last evidence; nil without evidence.
  package var days: ClosedRange<FleetDay>?
  package var totals: SeriesTotals
  /// The failure of the last reading of the file; nil if the build has functions, or no reader had
  /// to be stopped.
  package var readFailure: ReadFailure?
  /// The first file that contradicted the build's functions; nil if none did.
  package var contradiction: Contradiction?
  /// Evidence that retention removed; nil if none.
  package var dropped: DroppedEvidence?

  /// The name of most runs.
  package var program: String { names.first }

  package init(
    key: BuildKey, names: ImageNames, isExecutable: Bool, guardCount: Int, claims: Int = 1,
    hasFunctions: Bool, versions: BuildVersions, days: ClosedRange<FleetDay>?,
    totals: SeriesTotals, readFailure: ReadFailure? = nil, contradiction: Contradiction? = nil,
    dropped: DroppedEvidence? = nil
  ) {
    self.readFailure = readFailure
    self.contradiction = contradiction
    self.dropped = dropped
    self.key = key
    self.names = names
    self.isExecutable = isExecutable
    self.guardCount = guardCount
    self.claims = claims
    self.hasFunctions = hasFunctions
    self.versions = versions
    self.days = days
    self.totals = totals
  }
}

extension FleetBuild {
  /// What is missing because reports contradict each other about the build's functions; nil if nothing is.
  package var contest: String? {
    guard claims > 1 else { return nil }
    return
      "reports of this build claim \(claims) numbers of functions: runs of copies with another symbol table, or false "
      + "reports, are left out"
      + (claims < TraceLimits.claims ? "" : " (register its binary with upload-symbols)")
  }
}

/// The versions of a build's runs.
package struct BuildVersions: Hashable, Sendable {
  /// Sorted, without the empty one; of more than `TraceLimits.versions`, those of most runs.
  package var listed: [String]
  /// Number of versions that are not listed.
  package var more: Int

  package init(_ listed: [String], of count: Int? = nil) {
    self.listed = listed.sortedByBytes()
    more = max(0, (count ?? listed.count) - listed.count)
  }

  /// `1.2, 1.3 and 9,456 more`.
  package var text: String {
    listed.joined(separator: ", ") + (more > 0 ? " and \(CountText.number(more)) more" : "")
  }
}

/// A build without function names.
package struct UnnamedBuild: Sendable {
  package var key: BuildKey
  package var names: ImageNames
  package var guardCount: Int
  package var readFailure: ReadFailure?

  package init(key: BuildKey, names: ImageNames, guardCount: Int, readFailure: ReadFailure?) {
    (self.key, self.names, self.guardCount) = (key, names, guardCount)
    self.readFailure = readFailure
  }
}

/// The coverage of one build.
package struct BuildCoverage: Hashable, Sendable {
  package var totals: SeriesTotals
  /// The sum of each guard.
  package var guards: GuardSums
  /// The caller of each guard's first call; see `SeriesState.callers`.
  package var callers: [UInt32: UInt64]
  /// See `SeriesState.unseen`.
  package var unseen: UnseenFunctions

  package init(
    totals: SeriesTotals, guards: GuardSums, callers: [UInt32: UInt64],
    unseen: UnseenFunctions = UnseenFunctions()
  ) {
    self.totals = totals
    self.guards = guards
    self.callers = callers
    self.unseen = unseen
  }
}

/// One series of a build.
package struct SeriesRecord: Hashable, Sendable {
  package var day: FleetDay
  package var labels: FleetLabels
  package var totals: SeriesTotals
  package var startups: StartupHistogram
  package var stages: StageHistograms

  package init(
    day: FleetDay, labels: FleetLabels, totals: SeriesTotals,
    startups: StartupHistogram = StartupHistogram(), stages: StageHistograms = StageHistograms()
  ) {
    self.day = day
    self.labels = labels
    self.totals = totals
    self.startups = startups
    self.stages = stages
  }
}

/// The size of a store's contents.
package struct StoreSize: Hashable, Sendable, Codable {
  package var builds = 0
  /// Number of called functions in all rows.
  package var coverage = 0
  /// Rows from publishers, and sums of closed days.
  package var rows = 0
  package var sampledTraces = 0

  package init() {}

  /// Keys of a daemon's status.
  enum CodingKeys: String, CodingKey {
    case builds, rows, sampledTraces
    case coverage = "coverageRows"
  }
}
