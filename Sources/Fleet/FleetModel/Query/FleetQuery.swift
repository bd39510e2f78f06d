import FirstlightModel

/// Which builds a question is about.
package struct BuildFilter: Hashable, Sendable {
  /// The build id, or, if no build has just this one, its first digits; nil: all.
  package var buildID: String?
  /// Nil: all.
  package var recorder: Recorder?
  /// The image's file name; nil: all.
  package var program: String?
  /// A version that some of its traces have; nil: all.
  package var version: String?

  package init(
    buildID: String? = nil, recorder: Recorder? = nil, program: String? = nil,
    version: String? = nil
  ) {
    self.buildID = buildID
    self.recorder = recorder
    self.program = program
    self.version = version
  }
}

/// A part of a list that is sorted by program and build id.
package struct Page: Hashable, Sendable {
  /// Goes on behind this build, which need not be there any more; nil: from the start.
  package var after: PagePosition?
  package var limit: Int

  package init(after: PagePosition? = nil, limit: Int = 100) {
    self.after = after
    self.limit = limit
  }
}

/// A place in the list of builds.
package struct PagePosition: Hashable, Sendable {
  package var program: String
  package var build: BuildKey

  package init(program: String, build: BuildKey) {
    self.program = program
    self.build = build
  }
}

/// Which of a build's series a question is about.
package struct SeriesFilter: Hashable, Sendable {
  package var days: ClosedRange<FleetDay>?
  package var version: String?
  /// Labels that a series has to have.
  package var labels: [String: String]

  package init(
    days: ClosedRange<FleetDay>? = nil, version: String? = nil, labels: [String: String] = [:]
  ) {
    self.days = days
    self.version = version
    self.labels = labels
  }

  package func contains(day: FleetDay, labels: FleetLabels) -> Bool {
    (days?.contains(day) ?? true) && (version.map { $0 == labels.version } ?? true)
      && self.labels.allSatisfy { labels.labels[$0.key] == $0.value }
  }
}

/// A build that a store knows.
package struct FleetBuild: Hashable, Sendable {
  package var key: BuildKey
  /// The image's file name.
  package var program: String
  /// Where it was on the host that the store belongs to; of a fleet's, its file name again.
  package var path: String
  package var isExecutable: Bool
  package var guardCount: Int
  /// Whether its functions have been named.
  package var hasFunctions: Bool
  /// Whether reading its file would add to the store: its functions have no names yet, or an older
  /// firstlightd named them and kept less.
  package var wantsFunctions: Bool
  /// Of all its traces, sorted; without the empty one.
  package var versions: [String]
  /// Days of the first and last evidence; nil if there is none.
  package var days: ClosedRange<FleetDay>?
  package var totals: SeriesTotals
  /// Why its file gave no functions when it was last read; nil if it has functions, or no reader of its
  /// file had to be stopped.
  package var readFailure: ReadFailure?
  /// What retention removed of it; nil if it removed nothing.
  package var dropped: DroppedEvidence?

  package init(
    key: BuildKey, program: String, path: String, isExecutable: Bool, guardCount: Int,
    hasFunctions: Bool, wantsFunctions: Bool, versions: [String], days: ClosedRange<FleetDay>?,
    totals: SeriesTotals, readFailure: ReadFailure? = nil, dropped: DroppedEvidence? = nil
  ) {
    self.readFailure = readFailure
    self.dropped = dropped
    self.key = key
    self.program = program
    self.path = path
    self.isExecutable = isExecutable
    self.guardCount = guardCount
    self.hasFunctions = hasFunctions
    self.wantsFunctions = wantsFunctions
    self.versions = versions
    self.days = days
    self.totals = totals
  }
}

/// What was seen of one build.
package struct BuildCoverage: Hashable, Sendable {
  package var totals: SeriesTotals
  /// One for each guard.
  package var guards: GuardSums
  /// Where guards were first called from; see `HostFirst.caller`.
  package var callers: [UInt32: UInt64]

  package init(totals: SeriesTotals, guards: GuardSums, callers: [UInt32: UInt64]) {
    self.totals = totals
    self.guards = guards
    self.callers = callers
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

/// How much a store holds.
package struct StoreSize: Hashable, Sendable, Codable {
  package var builds = 0
  package var series = 0
  /// Called functions of all rows.
  package var coverage = 0
  /// Rows that publishers sent, and sums of closed days.
  package var rows = 0
  package var sampledTraces = 0

  package init() {}

  /// As a daemon's status names them.
  enum CodingKeys: String, CodingKey {
    case builds, series, rows, sampledTraces
    case coverage = "coverageRows"
  }
}
