import FirstlightModel
import FleetModel

/// What became of a batch, as JSON.
public struct ReceiptDocument: Codable, Sendable {
  public struct Refused: Codable, Sendable {
    public var trace: String
    public var reason: String
  }
  public struct Limit: Codable, Sendable {
    public var buildID: String
    public var recorder: String
    /// 16 hex digits: JSON's numbers are too short.
    public var family: String
  }
  public var added: Int
  public var known: Int
  public var refused: [Refused]
  public var sampleLimits: [Limit]

  public init(_ receipt: IngestReceipt) {
    added = receipt.added
    known = receipt.known
    refused = receipt.refused.map { Refused(trace: $0.id.description, reason: $0.reason) }
    sampleLimits = receipt.sampleLimits.sorted { $0.key < $1.key }.map {
      Limit(
        buildID: $0.key.buildID.description, recorder: $0.key.recorder.rawValue,
        family: String($0.value, radix: 16))
    }
  }

  /// Nil if it says what no receipt can.
  public var receipt: IngestReceipt? {
    var limits: [BuildKey: UInt64] = [:]
    for limit in sampleLimits {
      guard let id = BuildID(limit.buildID), let recorder = Recorder(rawValue: limit.recorder),
        let family = UInt64(limit.family, radix: 16)
      else { return nil }
      limits[BuildKey(buildID: id, recorder: recorder)] = family
    }
    return IngestReceipt(
      added: added, known: known,
      refused: refused.map { refused in
        let high = UInt64(refused.trace.prefix(16), radix: 16) ?? 0
        let low = UInt64(refused.trace.dropFirst(16), radix: 16) ?? 0
        return RefusedTrace(id: TraceID(high: high, low: low), reason: refused.reason)
      }, sampleLimits: limits)
  }
}

/// What a binary's symbols were good for.
public struct SymbolDocument: Codable, Sendable {
  public var buildID: String
  public var functions: Int
  public var hasSymbols: Bool
  public var hasDebugInfo: Bool

  public init(_ table: FunctionTable) {
    buildID = table.build.buildID.description
    functions = table.build.functions.count
    hasSymbols = table.build.hasSymbols
    hasDebugInfo = table.build.hasDebugInfo
  }
}

/// An error (RFC 9457).
public struct ProblemDocument: Codable, Sendable {
  public var type = "about:blank"
  public var title: String
  public var status: Int
  public var detail: String?
  /// What to do next.
  public var advice: String?
  /// Which batch will never be taken, as its sender called it.
  public var batch: String?

  public init(
    title: String, status: Int, detail: String? = nil, advice: String? = nil, batch: String? = nil
  ) {
    self.batch = batch
    self.title = title
    self.status = status
    self.detail = detail
    self.advice = advice
  }
}

/// A page of builds.
public struct BuildsDocument: Codable, Sendable {
  public var builds: [BuildDocument]
  /// Ask with `after` set to this for the next page; missing on the last.
  public var next: String?
  /// Builds that retention has removed, the last ones first; missing if there are none, and on other pages
  /// than the first.
  public var dropped: [DroppedBuildDocument]?

  public init(builds: [BuildDocument], next: String?, dropped: [DroppedBuildDocument] = []) {
    self.builds = builds
    self.next = next
    self.dropped = dropped.isEmpty ? nil : dropped
  }

  /// What retention has removed of these builds, and builds that it has removed: a line for each.
  public var missingEvidence: [String] {
    func line(_ program: String, _ id: String, _ before: String, _ reason: String) -> String {
      DroppedEvidence.sentence(
        program: program, build: BuildID(id)?.short ?? id, before: before, reason: reason)
    }
    return builds.compactMap { build in
      guard let before = build.droppedBefore, let reason = build.droppedBy else { return nil }
      return line(build.program, build.buildID, before, reason)
    } + (dropped ?? []).map { line($0.program, $0.buildID, $0.before, $0.by) }
  }
}

/// A build that retention has removed.
public struct DroppedBuildDocument: Codable, Sendable {
  public var buildID: String
  public var recorder: String
  public var program: String
  /// What came before this day is gone: all of it.
  public var before: String
  /// The setting that demanded it, `retain-builds=20`.
  public var by: String

  public init(_ dropped: DroppedEvidence) {
    buildID = dropped.build.buildID.description
    recorder = dropped.build.recorder.rawValue
    program = dropped.program
    before = dropped.before.description
    by = dropped.reason
  }
}

/// A build and what was seen of it.
public struct BuildDocument: Codable, Sendable {
  public var buildID: String
  public var recorder: String
  public var program: String
  public var kind: String
  public var versions: [String]
  public var guards: Int
  public var hasFunctions: Bool
  /// Why its file could not be read, for people; missing if that was not tried, or not stopped.
  public var readFailure: String?
  /// Days of the first and the last evidence, `2026-11-21`.
  public var firstDay: String?
  public var lastDay: String?
  public var runs: Int
  public var processes: Int
  public var hosts: Int
  public var secondsObserved: Double
  public var losses: Int
  /// What came before this day was removed by that setting, `retain-days=90`; missing if all is there.
  public var droppedBefore: String?
  public var droppedBy: String?

  public init(_ build: FleetBuild) {
    buildID = build.key.buildID.description
    recorder = build.key.recorder.rawValue
    program = build.program
    kind = (build.isExecutable ? ImageKind.executable : .sharedLibrary).rawValue
    versions = build.versions
    guards = build.guardCount
    hasFunctions = build.hasFunctions
    readFailure = build.readFailure?.reason
    firstDay = build.days?.lowerBound.description
    lastDay = build.days?.upperBound.description
    runs = build.totals.runs
    processes = build.totals.processes
    hosts = build.totals.hosts
    secondsObserved = build.totals.seconds
    let totals = build.totals
    losses =
      totals.drops + totals.uncommitted + totals.lostImages + totals.unreadableSegments
    droppedBefore = build.dropped?.before.description
    droppedBy = build.dropped?.reason
  }
}

extension FleetStore {
  /// Builds that retention has removed and a filter fits, as many as are told of.
  public func droppedBuilds(_ wanted: BuildFilter) async throws -> [DroppedEvidence] {
    // Which versions they had is gone with them.
    guard wanted.version == nil else { return [] }
    let fitting = try await droppedBuilds(limit: 1000).filter { dropped in
      dropped.program == wanted.program ?? dropped.program
        && dropped.build.buildID.description.hasPrefix(wanted.buildID ?? "")
    }
    return Array(fitting.prefix(DroppedEvidence.shownBuilds))
  }
}

/// Start-up times of one program's versions.
public struct StartupsDocument: Codable, Sendable {
  public struct Row: Codable, Sendable {
    public var buildID: String
    public var program: String
    public var version: String
    public var labels: [String: String]
    public var firstDay: String
    public var lastDay: String
    public var starts: Int
    /// Seconds.
    public var p50: Double
    public var p90: Double
    public var p99: Double
    /// In the order in which they come, of starts that were watched from outside (`firstlight launch`);
    /// nil: none was.
    public var stages: [Stage]?

    public init(build: FleetBuild, labels: FleetLabels, sums: Sums) {
      let (days, startups) = (sums.days, sums.startups)
      buildID = build.key.buildID.description
      program = build.program
      version = labels.version
      self.labels = labels.labels
      firstDay = days.lowerBound.description
      lastDay = days.upperBound.description
      starts = startups.total
      p50 = startups.percentile(0.5) ?? 0
      p90 = startups.percentile(0.9) ?? 0
      p99 = startups.percentile(0.99) ?? 0
      let stages = LaunchStage.Kind.allCases.compactMap { Stage($0, of: sums.stages) }
      self.stages = stages.isEmpty ? nil : stages
    }
  }

  /// One stage of the starts of a row.
  public struct Stage: Codable, Sendable {
    /// `exec`, `mapping`, `relocating`, `initializers`, `main`, `unknown`.
    public var kind: String
    public var starts: Int
    /// Seconds.
    public var p50: Double
    public var p90: Double
    public var p99: Double

    /// - Returns: nil if no start tells of it.
    init?(_ kind: LaunchStage.Kind, of stages: StageHistograms) {
      self.kind = kind.rawValue
      starts = stages.total(kind)
      guard let p50 = stages.percentile(0.5, of: kind), let p90 = stages.percentile(0.9, of: kind),
        let p99 = stages.percentile(0.99, of: kind)
      else { return nil }
      (self.p50, self.p90, self.p99) = (p50, p90, p99)
    }
  }

  /// What series of a build have in sum.
  public struct Sums: Sendable {
    var days: ClosedRange<FleetDay>
    var startups = StartupHistogram()
    var stages = StageHistograms()

    init(days: ClosedRange<FleetDay>) { self.days = days }

    mutating func add(_ series: SeriesRecord) {
      days = min(days.lowerBound, series.day)...max(days.upperBound, series.day)
      startups.add(series.startups)
      stages.add(series.stages)
    }
  }

  public var startups: [Row]

  public init(startups: [Row]) { self.startups = startups }
}

/// What a daemon does at the moment.
public struct StatusDocument: Codable, Sendable {
  public struct Running: Codable, Sendable {
    public var pid: UInt32
    public var path: String
    public var startedAt: Double
    public var firstCalls: Int
    public var ready: Bool

    public init(pid: UInt32, path: String, startedAt: Double, firstCalls: Int, ready: Bool) {
      self.pid = pid
      self.path = path
      self.startedAt = startedAt
      self.firstCalls = firstCalls
      self.ready = ready
    }
  }
  public var version: String
  public var startedAt: Double
  public var spool: String?
  public var sink: String
  public var sinkReachable: Bool
  public var intakeProblem: String?
  public var outboxTraces: Int
  public var outboxBytes: Int
  public var outboxOldestSeconds: Double?
  public var counts: [String: Int]
  public var running: [Running]
  public var builds: Int?
  public var coverageRows: Int?
  public var sampledTraces: Int?

  public init(
    version: String, startedAt: Double, spool: String?, sink: String, sinkReachable: Bool,
    intakeProblem: String?, outboxTraces: Int, outboxBytes: Int, outboxOldestSeconds: Double?,
    counts: [String: Int], running: [Running]
  ) {
    self.version = version
    self.startedAt = startedAt
    self.spool = spool
    self.sink = sink
    self.sinkReachable = sinkReachable
    self.intakeProblem = intakeProblem
    self.outboxTraces = outboxTraces
    self.outboxBytes = outboxBytes
    self.outboxOldestSeconds = outboxOldestSeconds
    self.counts = counts
    self.running = running
  }
}
