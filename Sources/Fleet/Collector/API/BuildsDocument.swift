import FirstlightModel
import FleetModel

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
