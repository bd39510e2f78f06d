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

/// A build with its coverage.
package struct RecordedBuild: Sendable {
  package var build: Build
  /// Runs in which an image of this build was loaded.
  package var runs: Int
  /// Coverage of each guard; one entry for each of the build's guards.
  package var coverage: [GuardCoverage]
  /// For guards of merged functions, the linker name of the executed shared body.
  package var mergedBodies: [UInt32: String]
  /// Guards that no recording watched from a start of the program, and no window saw. Empty if a process was
  /// recorded from its start.
  package var withoutStart: Set<UInt32>
  /// Those of `withoutStart` that no recording watched at all.
  package var unwatched: Set<UInt32>
  /// By path: digests of the source files (`FileContents.digest`) that were not newer than the build when it was
  /// recorded; 0 if recordings differ. Empty if unknown.
  package var sources: [TextBytes: UInt64] = [:]
  /// The compiler's counters; empty unless the build is counted.
  package var counters: SourceCounters

  package init(
    build: Build, runs: Int = 0, coverage: [GuardCoverage]? = nil,
    mergedBodies: [UInt32: String] = [:], withoutStart: Set<UInt32> = [],
    unwatched: Set<UInt32> = [], counters: SourceCounters = SourceCounters()
  ) {
    self.build = build
    self.runs = runs
    self.withoutStart = withoutStart
    self.unwatched = unwatched
    self.coverage =
      coverage ?? Array(repeating: GuardCoverage(), count: build.guardCount)
    self.mergedBodies = mergedBodies
    self.counters = counters
  }
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
