import FirstlightModel

/// The contribution of some traces to a store: a row for each function and series, not for each call.
///
/// Sums are commutative, so any order and any division into batches gives the same store.
package struct BatchSums: Sendable {
  /// One series with its functions.
  package struct Series: Sendable {
    package var totals = SeriesTotals()
    package fileprivate(set) var names = ImageNames()
    package var startups = StartupHistogram()
    package var stages = StageHistograms()
    /// The called guards, rising, and the sum of each.
    package fileprivate(set) var guards: [UInt32] = []
    package fileprivate(set) var sums: [GuardSum] = []
    /// Sets that still have to be added to `sums`.
    fileprivate var sets: [(time: Double, guards: GuardSet)] = []
    fileprivate var newOnHost: [GuardSet] = []
  }

  /// A build according to the traces.
  package struct SeenBuild: Sendable {
    package var isExecutable: Bool
    package var guardCount: Int
    /// Callers of guards' first calls: see `HostFirst.caller`. The smallest address of each guard.
    package var callers: [UInt32: UInt64] = [:]
  }

  package private(set) var series: [SeriesKey: Series] = [:]
  package private(set) var builds: [BuildKey: SeenBuild] = [:]

  /// - Parameter traces: new to the store, without duplicates, and with the store's guard count for
  ///   each build.
  package init(_ traces: some Sequence<FleetTrace>) {
    for trace in traces { add(trace) }
    for key in series.keys { series[key]?.addUp() }
  }

  private mutating func add(_ trace: FleetTrace) {
    let day = FleetDay.counting(trace.startedAt)
    for (place, image) in trace.images.enumerated() {
      note(image)
      let key = SeriesKey(build: image.build, day: day, labels: trace.labels)
      // Later days have only the calls that were new then.
      if image.countsRun || image.countsHost || place == trace.program {
        if image.countsRun { series[key, default: Series()].totals.runs += 1 }
        if image.countsHost { series[key, default: Series()].totals.hosts += 1 }
        series[key, default: Series()].names.add(image.name, runs: image.countsRun ? 1 : 0)
      }
      let newOnHost = GuardSet(image.newOnHost.lazy.map(\.guardIndex))
      for seen in image.seen {
        let day = FleetDay.counting(seen.time)
        let key = SeriesKey(build: image.build, day: day, labels: trace.labels)
        series[key, default: Series()].names.add(image.name, runs: 0)
        series[key, default: Series()].add(
          seen.guards.set.below(image.guardCount), at: seen.time, newOnHost: newOnHost)
      }
    }
    guard let program = trace.programImage?.build else { return }
    series[SeriesKey(build: program, day: day, labels: trace.labels), default: Series()].add(trace)
  }

  private mutating func note(_ image: FleetImage) {
    var build =
      builds[image.build]
      ?? SeenBuild(isExecutable: image.isExecutable, guardCount: image.guardCount)
    for first in image.newOnHost where first.caller > 0 {
      build.callers[first.guardIndex] = min(
        build.callers[first.guardIndex] ?? .max, first.caller)
    }
    builds[image.build] = build
  }
}

extension BatchSums.Series {
  fileprivate mutating func add(_ guards: GuardSet, at time: Double, newOnHost: GuardSet) {
    let new = guards.intersection(newOnHost)
    if !new.isEmpty { self.newOnHost.append(new) }
    sets.append((time, guards))
  }

  fileprivate mutating func addUp() {
    (guards, sums) = GuardTally.sums(sets, newOnHost: newOnHost)
    (sets, newOnHost) = ([], [])
  }

  fileprivate mutating func add(_ trace: FleetTrace) {
    totals.programRuns += trace.countsRun ? 1 : 0
    totals.processes += trace.hasEnded ? 1 : 0
    // A clock may have been off by a lifetime, which must not break the sums.
    totals.seconds += min(trace.seconds, 3e9)
    totals.drops = totals.drops.addingClamped(trace.losses.drops)
    totals.uncommitted = totals.uncommitted.addingClamped(trace.losses.uncommitted)
    totals.lostImages = totals.lostImages.addingClamped(trace.losses.lostImages)
    totals.unreadableSegments = totals.unreadableSegments.addingClamped(
      trace.losses.unreadableSegments)
    if let readyAfter = trace.readyAfter { startups.add(readyAfter) }
    stages.add(trace.stages)
  }
}

/// Functions that were already counted for a run, or for a host: the run's other processes, or the host's
/// other runs, must not count them again.
package struct CoverageTally: Hashable, Sendable {
  /// Whether any process was counted.
  package var isStarted = false
  package var builds: [BuildKey: GuardSet] = [:]
  /// For a run, from the first process's start to the latest end, seconds since 1970; nil if unknown.
  package var span: ClosedRange<Double>?

  package init(isStarted: Bool = false) { self.isStarted = isStarted }

  /// Counts the time during which a process was recorded.
  ///
  /// - Returns: the additional seconds of the run's recorded time. Processes that run at the same
  ///   time share it. 0 for a run whose time was counted but is unknown.
  mutating func watch(from start: Double, seconds: Double) -> Double {
    let own = start...(start + max(0, seconds))
    guard let known = span else {
      if isStarted { return 0 }
      span = own
      return own.upperBound - own.lowerBound
    }
    let all = min(known.lowerBound, own.lowerBound)...max(known.upperBound, own.upperBound)
    span = all
    return (all.upperBound - all.lowerBound) - (known.upperBound - known.lowerBound)
  }
}
