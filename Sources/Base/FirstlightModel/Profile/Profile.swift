/// Many traces of the same builds: the input of orders and of never-called lists.
package struct Profile: Sendable {
  package var builds: [RecordedBuild]
  package var runs: [Run]
  /// Sorted by start time within their run.
  package var processes: [RecordedProcess]
  /// Counted runs that are not listed in `runs`; profile files have none.
  package var unlisted = UnlistedRuns()

  package init(
    builds: [RecordedBuild] = [], runs: [Run] = [], processes: [RecordedProcess] = []
  ) {
    self.builds = builds
    self.runs = runs
    self.processes = processes
  }

  /// Known losses, summed over all processes.
  package var losses: Losses { processes.reduce(unlisted.losses) { $0 + $1.losses } }
}

/// The coverage of one guard.
package struct GuardCoverage: Hashable, Sendable {
  /// Runs that called the guard's function.
  package var runs: Int
  /// Seconds since 1970 of the earliest and the latest first call; 0 if it was never called.
  package var firstSeen: Double
  package var lastSeen: Double

  package init(runs: Int = 0, firstSeen: Double = 0, lastSeen: Double = 0) {
    self.runs = runs
    self.firstSeen = firstSeen
    self.lastSeen = lastSeen
  }

  package var isCalled: Bool { runs > 0 }

  mutating func add(_ other: GuardCoverage) {
    guard other.isCalled else { return }
    firstSeen = isCalled ? min(firstSeen, other.firstSeen) : other.firstSeen
    lastSeen = max(lastSeen, other.lastSeen)
    runs = runs.addingClamped(other.runs)
  }
}
