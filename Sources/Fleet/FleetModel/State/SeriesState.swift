import FirstlightModel

/// One publisher's counts of a series so far: a row of a store.
///
/// Each publisher counts independently and sends its counts with a rising version. A store keeps
/// the row with the highest version for each publisher and key (`RowVersion`), so rows may arrive twice, late and
/// in any order (a state-based counter: Shapiro, Preguiça, Baquero, Zawirski, "Conflict-free
/// Replicated Data Types", 2011).
package struct SeriesState: Hashable, Sendable {
  package var key: StateKey
  /// Rises with every change.
  package var version: RowVersion
  /// In a batch, the version that its sender's receiver had last; not part of the row.
  package var follows = RowVersion.none
  /// The names of the image's file.
  package var names: ImageNames
  package var isExecutable: Bool
  package var totals: SeriesTotals
  package var startups: StartupHistogram
  package var stages: StageHistograms
  /// Sums of the called functions. Encoding rounds times to the hour.
  package var sums: GuardSums
  /// For functions that were new on the host, the smallest known address just after the first hook call: it
  /// identifies the shared body of a merged function. Only of called functions.
  package var callers: [UInt32: UInt64]
  /// The functions that no recording of the row watched from a start of the program, or at all.
  package var unseen = UnseenFunctions()
  /// The functions that runs which had counted before turned out not to be watched for a while. Only of what is added to
  /// a row, which has them among `unseen`.
  var laterGaps = UnseenFunctions()

  /// - Parameter name: the name or path of the image's file, in all runs of `totals`.
  package init(
    key: StateKey, version: RowVersion = .none, name: String, isExecutable: Bool,
    totals: SeriesTotals = SeriesTotals(), startups: StartupHistogram = StartupHistogram(),
    stages: StageHistograms = StageHistograms(), sums: GuardSums? = nil,
    callers: [UInt32: UInt64] = [:]
  ) {
    self.key = key
    self.version = version
    names = ImageNames(name, runs: totals.runs)
    self.isExecutable = isExecutable
    self.totals = totals
    self.startups = startups
    self.stages = stages
    self.sums = sums ?? GuardSums(guardCount: key.guardCount)
    self.callers = callers
  }

  /// Adds the counts of another row with the same key; keeps its own version.
  package mutating func add(_ other: SeriesState) {
    names.count(other.names)
    isExecutable = isExecutable || other.isExecutable
    totals = totals + other.totals
    startups.add(other.startups)
    stages.add(other.stages)
    sums.add(other.sums)
    callers.merge(other.callers) { min($0, $1) }
    unseen = unseen.intersection(other.unseen).union(other.laterGaps)
  }

  /// Subtracts an earlier state of the same row: what is left was counted since. Times and unseen functions
  /// stay as they are.
  package mutating func subtract(_ earlier: SeriesState) {
    totals = totals - earlier.totals
    startups.subtract(earlier.startups)
    stages.subtract(earlier.stages)
    sums.subtract(earlier.sums)
    callers = callers.filter { sums[Int($0.key)].isCalled }
    names.subtract(earlier.names)
  }

  /// An upper bound of the row's size in memory.
  package var weight: Int {
    1024 + names.paths.reduce(0) { $0 + 64 + 2 * $1.utf8.count }
      + sums.calledCount * (MemoryLayout<GuardSum>.size + 4)
      + callers.count * 32 + startups.counts.count * 32 + unseen.ranges.ranges.count * 8
      + stages.histograms.values.reduce(0) { $0 + 64 + $1.counts.count * 32 }
  }

  /// The same row without folders of the image, since paths do not leave the host.
  package func withoutPath() -> SeriesState {
    var state = self
    state.names = names.withoutPaths
    return state
  }
}
