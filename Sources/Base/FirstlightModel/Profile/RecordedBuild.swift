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
  /// Runs whose compiler's counters were read; 0 unless the build is counted.
  package private(set) var countedRuns = 0

  package init(
    build: Build, runs: Int = 0, coverage: [GuardCoverage]? = nil,
    mergedBodies: [UInt32: String] = [:], withoutStart: Set<UInt32> = [],
    unwatched: Set<UInt32> = [], countedRuns: Int = 0
  ) {
    self.build = build
    self.runs = runs
    self.withoutStart = withoutStart
    self.unwatched = unwatched
    self.coverage =
      coverage ?? Array(repeating: GuardCoverage(), count: build.guardCount)
    self.mergedBodies = mergedBodies
    self.countedRuns = countedRuns
  }

  /// Whether any run called a function.
  package func isCalled(function index: Int) -> Bool { coverage(ofFunction: index).isCalled }

  /// The coverage of a function, by its guard or its counter.
  package func coverage(ofFunction index: Int) -> GuardCoverage {
    let function = build.functions[index]
    if case .guarded(let index) = function.code { return coverage[Int(index)] }
    return function.counted
  }

  /// The compiler's counters; empty unless the build is counted.
  package var counters: SourceCounters {
    get { SourceCounters(runs: countedRuns, sorted: build.functions.filter(\.isCounted)) }
    set {
      countedRuns = newValue.runs
      build.functions.removeAll(where: \.isCounted)
      build.functions += newValue.functions
    }
  }
}
