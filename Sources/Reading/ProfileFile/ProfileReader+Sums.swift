import FirstlightModel
import GRDB
import SQLiteSupport

extension ProfileReader {
  /// Reads the builds, and of runs and processes only what lists say of them all: row by row, none of
  /// which is kept.
  func readSums(eachRun: (String) -> Void) throws -> Profile {
    var profile = Profile(builds: try readBuilds())
    profile.unlisted = try readUnlisted()
    try addRuns(to: &profile.unlisted, eachRun)
    try addProcesses(to: &profile.unlisted)
    return profile
  }

  private func addRuns(to sums: inout UnlistedRuns, _ eachRun: (String) -> Void) throws {
    let rows = try Row.fetchCursor(
      database, sql: "SELECT id, host, started_at, ended_at, problems, outcome FROM run")
    while let row = try rows.next() {
      let id: String = try row.value(0)
      let start: Double = try row.value(2)
      let end: Double = try row.value(3)
      let text: String = try row.value(4)
      guard let problems = text == "[]" ? [] : JSONText.strings(text) else {
        throw damaged("run \(id)")
      }
      sums.add(
        start: start, end: end, host: try row.value(1), outcome: try row.value(5),
        problems: problems)
      eachRun(id)
    }
  }

  private func addProcesses(to sums: inout UnlistedRuns) throws {
    let rows = try Row.fetchCursor(
      database,
      sql: try """
      SELECT drops, uncommitted, lost_images, unreadable_segments, \(processLosses(in: "process"))
      FROM process
      """)
    while let row = try rows.next() {
      sums.processes += 1
      sums.losses =
        try sums.losses
        + Losses(
          drops: row.value(0), uncommitted: row.value(1), lostImages: row.value(2),
          unreadableSegments: row.value(3), unrecordedProcesses: row.value(4),
          runningProcesses: row.value(5))
    }
  }
}
