import FirstlightModel
import FleetModel

/// The versions of rows in a store, in the order of the request.
struct VersionsDocument: Codable, Sendable {
  /// 0 for a row that the store does not have.
  var versions: [UInt64]

  init(_ versions: [RowVersion?]) { self.versions = versions.map { $0?.rawValue ?? 0 } }
}

/// The outcome of uploaded symbols.
package struct SymbolDocument: Codable, Sendable {
  package var buildID: String
  package var functions: Int
  package var hasSymbols: Bool
  package var hasDebugInfo: Bool

  init(_ table: FunctionTable) {
    buildID = table.build.buildID.description
    functions = table.build.guarded.count
    hasSymbols = table.build.hasSymbols
    hasDebugInfo = table.build.hasDebugInfo
  }
}

/// An error (RFC 9457).
struct ProblemDocument: Codable, Sendable {
  var type = "about:blank"
  var title: String
  var status: Int
  var detail: String?
  /// The next step for the user.
  var advice: String?
  /// The sender's name of a batch that will never be accepted.
  var batch: String?
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

  init(_ dropped: DroppedEvidence) {
    buildID = dropped.build.buildID.description
    recorder = dropped.build.recorder.rawValue
    program = dropped.program
    before = dropped.before.description
    by = dropped.reason
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
  var sinkReachable: Bool
  var intakeProblem: String?
  /// Rows that wait for their receiver. The name comes from the traces that earlier versions sent.
  var outboxTraces: Int
  var outboxBytes: Int
  var outboxOldestSeconds: Double?
  package var counts: [TextBytes: Int]
  package var running: [Running]
  package var builds: Int?
  /// Uploaded rows, and sums of closed days.
  package var rows: Int?
  package var coverageRows: Int?
  package var sampledTraces: Int?
}
