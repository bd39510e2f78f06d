import FirstlightModel
import FleetModel

/// The versions of rows in a store, in the order of the request.
package struct VersionsDocument: Codable, Sendable {
  /// 0 for a row that the store does not have.
  package var versions: [UInt64]

  package init(_ versions: [RowVersion?]) { self.versions = versions.map { $0?.rawValue ?? 0 } }
}

/// The outcome of uploaded symbols.
package struct SymbolDocument: Codable, Sendable {
  package var buildID: String
  package var functions: Int
  package var hasSymbols: Bool
  package var hasDebugInfo: Bool

  package init(_ table: FunctionTable) {
    buildID = table.build.buildID.description
    functions = table.build.functions.count
    hasSymbols = table.build.hasSymbols
    hasDebugInfo = table.build.hasDebugInfo
  }
}

/// An error (RFC 9457).
package struct ProblemDocument: Codable, Sendable {
  package var type = "about:blank"
  package var title: String
  package var status: Int
  package var detail: String?
  /// The next step for the user.
  package var advice: String?
  /// The sender's name of a batch that will never be accepted.
  package var batch: String?
}

/// A page of builds.
package struct BuildsDocument: Codable, Sendable {
  package var builds: [BuildDocument]
  /// The value of `after` for the next page; missing on the last.
  package var next: String?
  /// Builds that retention has removed, the last ones first. Missing if there are none, and on all pages but
  /// the first.
  package var dropped: [DroppedBuildDocument]?

  package init(builds: [BuildDocument], next: String?, dropped: [DroppedBuildDocument] = []) {
    self.builds = builds
    self.next = next
    self.dropped = dropped.isEmpty ? nil : dropped
  }

  /// The data of these builds that retention has removed, and removed builds: a line for each.
  package var missingEvidence: [String] {
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
package struct DroppedBuildDocument: Codable, Sendable {
  package var buildID: String
  package var recorder: String
  package var program: String
  /// The day before which data are gone: all of the build's.
  package var before: String
  /// The retention setting, `retain-builds=20`.
  package var by: String

  package init(_ dropped: DroppedEvidence) {
    buildID = dropped.build.buildID.description
    recorder = dropped.build.recorder.rawValue
    program = dropped.program
    before = dropped.before.description
    by = dropped.reason
  }
}

/// A build and its evidence.
package struct BuildDocument: Codable, Sendable {
  package var buildID: String
  package var recorder: String
  package var program: String
  /// All names of its file, that of most runs first.
  package var names: [String]
  package var kind: String
  /// Of more than 16, those of most runs.
  package var versions: [String]
  /// Number of versions that are not listed; missing if there are none.
  package var moreVersions: Int?
  package var guards: Int
  package var hasFunctions: Bool
  /// Why reading its file was stopped, for people. Missing if reading was not tried, or not stopped.
  package var readFailure: String?
  /// The first file that contradicted its functions, for people; missing if none did.
  package var contradiction: String?
  /// What is missing because reports contradict each other about its functions, for people; missing if nothing is.
  package var contest: String?
  /// Days of the first and the last evidence, `2026-11-21`.
  package var firstDay: String?
  package var lastDay: String?
  package var runs: Int
  /// The runs whose beginning was not watched; missing if there are none.
  package var windows: Int?
  package var processes: Int
  package var hosts: Int
  package var secondsObserved: Double
  package var losses: Int
  /// The day before which data are gone, and the setting, `retain-days=90`; missing if all data are there.
  package var droppedBefore: String?
  package var droppedBy: String?

  package init(_ build: FleetBuild) {
    buildID = build.key.buildID.description
    recorder = build.key.recorder.rawValue
    program = build.program
    names = build.names.sorted
    kind = (build.isExecutable ? ImageKind.executable : .sharedLibrary).rawValue
    versions = build.versions.listed
    moreVersions = build.versions.more > 0 ? build.versions.more : nil
    guards = build.guardCount
    hasFunctions = build.hasFunctions
    readFailure = build.readFailure?.reason
    contradiction = build.contradiction?.sentence
    contest = build.contest
    firstDay = build.days?.lowerBound.description
    lastDay = build.days?.upperBound.description
    runs = build.totals.runs
    windows = build.totals.windows > 0 ? build.totals.windows : nil
    processes = build.totals.processes
    hosts = build.totals.hosts
    secondsObserved = build.totals.seconds
    losses = build.totals.lossCount
    droppedBefore = build.dropped?.before.description
    droppedBy = build.dropped?.reason
  }
}

extension FleetStore {
  /// The builds, at most 1000, that retention has removed and that match a filter.
  package func droppedBuilds(_ wanted: FleetQuery) async throws -> [DroppedEvidence] {
    // Removed builds have no versions any more.
    guard wanted.version == nil else { return [] }
    let dropped = try await droppedBuilds(limit: 1000)
    var named: Set<BuildID>?
    if let digits = wanted.buildID {
      // A build that is present comes before removed ones.
      let present = try await builds(FleetQuery(buildID: digits), page: Page(limit: 1))
      named = BuildID.named(
        digits, among: (present.map(\.key) + dropped.map(\.build)).map(\.buildID))
    }
    let fitting = dropped.filter { dropped in
      dropped.program == wanted.program ?? dropped.program
        && dropped.build.recorder == wanted.recorder ?? dropped.build.recorder
        && named?.contains(dropped.build.buildID) ?? true
    }
    return Array(fitting.prefix(DroppedEvidence.shownBuilds))
  }
}

/// The present state of a daemon.
package struct StatusDocument: Codable, Sendable {
  package struct Running: Codable, Sendable {
    package var pid: UInt32
    package var path: String
    package var startedAt: Double
    package var firstCalls: Int
    package var ready: Bool
  }
  package var version: String
  package var startedAt: Double
  package var spool: String?
  package var sink: String
  package var sinkReachable: Bool
  package var intakeProblem: String?
  /// Rows that wait for their receiver. The name comes from the traces that earlier versions sent.
  package var outboxTraces: Int
  package var outboxBytes: Int
  package var outboxOldestSeconds: Double?
  package var counts: [TextBytes: Int]
  package var running: [Running]
  package var builds: Int?
  /// Uploaded rows, and sums of closed days.
  package var rows: Int?
  package var coverageRows: Int?
  package var sampledTraces: Int?
}
