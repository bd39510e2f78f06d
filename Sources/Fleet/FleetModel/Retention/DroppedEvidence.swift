import FirstlightModel

/// Evidence of a build that retention removed, so that answers do not claim to be complete.
package struct DroppedEvidence: Hashable, Sendable {
  package var build: BuildKey
  /// The image's file name.
  package var program: String
  /// All evidence that arrived on earlier days was removed.
  package var before: FleetDay
  /// The responsible setting, such as `retain-days=90`.
  package var reason: String

  package init(build: BuildKey, program: String, before: FleetDay, reason: String) {
    self.build = build
    self.program = program
    self.before = before
    self.reason = reason
  }

  /// `server (4f2a91c0): before 2026-08-01 dropped by retain-days=90`.
  /// - Parameters:
  ///   - build: the displayed build id.
  ///   - before: a day.
  package static func sentence(
    program: String, build: String, before: String, reason: String
  ) -> String { "\(program) (\(build)): before \(before) dropped by \(reason)" }

  package var sentence: String {
    Self.sentence(
      program: program, build: build.buildID.short, before: before.description, reason: reason)
  }

  /// Number of removed builds in a list, the last ones first.
  package static let shownBuilds = 20
}
