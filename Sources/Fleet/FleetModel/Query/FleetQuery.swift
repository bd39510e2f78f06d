import FirstlightModel

/// Which builds a question is about.
public struct BuildFilter: Hashable, Sendable {
  /// The build id, or its first digits; nil: all.
  public var buildID: String?
  /// The image's file name; nil: all.
  public var program: String?
  /// A version that some of its traces have; nil: all.
  public var version: String?

  public init(buildID: String? = nil, program: String? = nil, version: String? = nil) {
    self.buildID = buildID
    self.program = program
    self.version = version
  }
}

/// A part of a list that is sorted by program and build id.
public struct Page: Hashable, Sendable {
  /// Goes on behind this build, which need not be there any more; nil: from the start.
  public var after: PagePosition?
  public var limit: Int

  public init(after: PagePosition? = nil, limit: Int = 100) {
    self.after = after
    self.limit = limit
  }
}

/// A place in the list of builds.
public struct PagePosition: Hashable, Sendable {
  public var program: String
  public var build: BuildKey

  public init(program: String, build: BuildKey) {
    self.program = program
    self.build = build
  }
}

/// Which of a build's series a question is about.
public struct SeriesFilter: Hashable, Sendable {
  public var days: ClosedRange<FleetDay>?
  public var version: String?
  /// Labels that a series has to have.
  public var labels: [String: String]

  public init(
    days: ClosedRange<FleetDay>? = nil, version: String? = nil, labels: [String: String] = [:]
  ) {
    self.days = days
    self.version = version
    self.labels = labels
  }

  public func contains(day: FleetDay, labels: FleetLabels) -> Bool {
    (days?.contains(day) ?? true) && (version.map { $0 == labels.version } ?? true)
      && self.labels.allSatisfy { labels.labels[$0.key] == $0.value }
  }
}

/// A build that a store knows.
public struct FleetBuild: Hashable, Sendable {
  public var key: BuildKey
  /// The image's file name.
  public var program: String
  /// Where it was on the host that the store belongs to; of a fleet's, its file name again.
  public var path: String
  public var isExecutable: Bool
  public var guardCount: Int
  /// Whether its functions have been named.
  public var hasFunctions: Bool
  /// Whether its file would tell the store more: nobody named its functions, or an older firstlightd
  /// did, which kept less of them.
  public var wantsFunctions: Bool
  /// Of all its traces, sorted; without the empty one.
  public var versions: [String]
  /// Days of the first and last evidence; nil if there is none.
  public var days: ClosedRange<FleetDay>?
  public var totals: SeriesTotals
  /// Why its file gave no functions when it was last read; nil if it has functions, or no reader of its
  /// file had to be stopped.
  public var readFailure: ReadFailure?
  /// What retention removed of it; nil if it removed nothing.
  public var dropped: DroppedEvidence?

  public init(
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
public struct BuildCoverage: Hashable, Sendable {
  public var totals: SeriesTotals
  /// One for each guard.
  public var guards: GuardSums
  /// Where guards were first called from; see `HostFirst.caller`.
  public var callers: [UInt32: UInt64]

  public init(totals: SeriesTotals, guards: GuardSums, callers: [UInt32: UInt64]) {
    self.totals = totals
    self.guards = guards
    self.callers = callers
  }
}

/// One series of a build.
public struct SeriesRecord: Hashable, Sendable {
  public var day: FleetDay
  public var labels: FleetLabels
  public var totals: SeriesTotals
  public var startups: StartupHistogram
  public var stages: StageHistograms

  public init(
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
public struct StoreSize: Hashable, Sendable {
  public var builds = 0
  public var series = 0
  /// Functions x series.
  public var coverage = 0
  /// Traces that would be known if they came again.
  public var knownTraces = 0
  public var sampledTraces = 0

  public init() {}
}
