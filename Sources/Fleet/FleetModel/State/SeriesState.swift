import FirstlightModel

/// All that one publisher has counted of a series so far: a row of a store.
///
/// A publisher counts by itself and sends what it has counted, with a version that rises. A store keeps
/// the row with the highest version of each publisher and key, so rows may arrive twice, late and in any
/// order (a state-based counter: Shapiro, Preguiça, Baquero, Zawirski, "Conflict-free Replicated Data
/// Types", 2011).
package struct SeriesState: Hashable, Sendable {
  package var key: StateKey
  /// Rises with every change.
  package var version: UInt64
  /// The image's file name; on the host where it ran, its path.
  package var name: String
  package var isExecutable: Bool
  package var totals: SeriesTotals
  package var startups: StartupHistogram
  package var stages: StageHistograms
  /// Of the functions that were called. Times are to the hour once they were encoded.
  package var sums: GuardSums
  /// Where functions that were new on the host were first called from: see `HostFirst.caller`.
  package var callers: [UInt32: UInt64]

  package init(
    key: StateKey, version: UInt64 = 0, name: String, isExecutable: Bool,
    totals: SeriesTotals = SeriesTotals(), startups: StartupHistogram = StartupHistogram(),
    stages: StageHistograms = StageHistograms(), sums: GuardSums? = nil,
    callers: [UInt32: UInt64] = [:]
  ) {
    self.key = key
    self.version = version
    self.name = name
    self.isExecutable = isExecutable
    self.totals = totals
    self.startups = startups
    self.stages = stages
    self.sums = sums ?? GuardSums(guardCount: key.guardCount)
    self.callers = callers
  }

  /// Adds what another row, of the same key, has counted; keeps its own version.
  package mutating func add(_ other: SeriesState) {
    isExecutable = isExecutable || other.isExecutable
    totals = totals + other.totals
    startups.add(other.startups)
    stages.add(other.stages)
    sums.add(other.sums)
    callers.merge(other.callers) { min($0, $1) }
  }

  /// At most so many bytes it takes in memory.
  package var weight: Int {
    1024 + name.utf8.count + sums.calledCount * (MemoryLayout<GuardSum>.size + 4)
      + callers.count * 32 + startups.counts.count * 32
      + stages.histograms.values.reduce(0) { $0 + 64 + $1.counts.count * 32 }
  }

  /// The same with only the file name of the image, since paths do not leave the host.
  package func withoutPath() -> SeriesState {
    var state = self
    state.name = name.split(separator: "/").last.map(String.init) ?? ""
    return state
  }
}

extension SeriesState {
  /// What processes add to the rows of their host, by key.
  /// - Parameter traces: each counted once, and none that contradicts itself.
  package static func counting(_ traces: [FleetTrace]) -> [SeriesState] {
    var variants = TraceVariants()
    for trace in traces { variants.add(trace) }
    var states: [SeriesState] = []
    for group in variants.groups {
      let sums = BatchSums(group.traces)
      for (key, series) in sums.series {
        guard let build = sums.builds[key.build] else { continue }
        states.append(SeriesState(key, series, of: build))
      }
    }
    return states
  }

  private init(_ key: SeriesKey, _ series: BatchSums.Series, of build: BatchSums.SeenBuild) {
    let sums = GuardSums(
      guardCount: build.guardCount, guards: series.guards, sums: series.sums)
    // Callers are of functions that are new on the host, which count as one of its functions that day.
    var callers: [UInt32: UInt64] = [:]
    for (index, sum) in sums.called where sum.hosts > 0 { callers[index] = build.callers[index] }
    self.init(
      key: StateKey(series: key, guardCount: build.guardCount), name: build.name,
      isExecutable: build.isExecutable, totals: series.totals, startups: series.startups,
      stages: series.stages, sums: sums, callers: callers)
  }
}
