/// Since when, in how many runs and builds a function was recorded and not called.
package struct FunctionAge: Hashable, Sendable {
  /// Seconds since 1970: first call of anything in the oldest build with the function. Nil if
  /// nothing shows it.
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
    for piece in row.pieces where piece.build >= 0 {
      if case .guarded = piece.place { numbers.insert(piece.build) }
    }
    let builds = numbers.map { observation.builds[$0] }.filter { $0.runs > 0 }
    guard !builds.isEmpty else { return nil }
    // A build that every run loaded was recorded from the first run on.
    let times = builds.map { $0.runs >= observation.runs ? observation.startedAt : $0.firstSeen }
    self.init(since: times.filter { $0 > 0 }.min(), runs: row.watchedRuns, builds: builds.count)
  }
}

/// The recordings of a build.
package struct BuildAge: Hashable, Sendable {
  /// Seconds since 1970; 0 if no function of the build was ever called.
  package var firstSeen: Double
  package var runs: Int
}
