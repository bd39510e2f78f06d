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
