import FirstlightModel
import SystemSupport

/// How long, and in how many runs and builds, a function has been recorded without a call.
package struct FunctionAge: Hashable, Sendable {
  /// When the oldest build with the function was first seen, in seconds since 1970. Nil if unknown.
  package var since: Double?
  package var runs: Int
  package var builds: Int

  package init(since: Double?, runs: Int, builds: Int) {
    self.since = since
    self.runs = runs
    self.builds = builds
  }

  /// Nil if some run called the function, or none recorded it.
  package init?(of row: borrowing FunctionReport, _ observation: Observation) {
    guard row.calledRuns == 0, row.watchedRuns > 0 else { return nil }
    var numbers: Set<Int> = []
    for piece in row.pieces where piece.isGuarded {
      if let build = piece.build { numbers.insert(build) }
    }
    let builds = numbers.map { observation.builds[$0] }.filter { $0.runs > 0 }
    guard !builds.isEmpty else { return nil }
    // A build that every run loaded was recorded from the first run on.
    let times = builds.map { $0.runs >= observation.runs ? observation.startedAt : $0.firstSeen }
    self.init(since: times.filter { $0 > 0 }.min(), runs: row.watchedRuns, builds: builds.count)
  }
}
