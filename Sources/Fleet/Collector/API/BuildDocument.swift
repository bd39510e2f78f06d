import FirstlightModel
import FleetModel

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
  var moreVersions: Int?
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

  init(_ build: FleetBuild) {
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
