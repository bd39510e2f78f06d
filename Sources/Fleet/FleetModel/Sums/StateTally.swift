import FirstlightModel

/// Counts processes into the rows of their host.
///
/// Sums are commutative: any order of processes, and any division into tallies, adds up to the same rows.
package struct StateTally {
  private struct Row {
    var state: SeriesState
    var isNew = true
    /// Called functions that are not in the row's sums yet, and those of them that were new on the host.
    var sets: [(time: Double, guards: GuardSet)] = []
    var newOnHost: [GuardSet] = []

    var whole: SeriesState {
      var whole = state
      let (guards, sums) = GuardTally.sums(sets, newOnHost: newOnHost)
      whole.sums = GuardSums(guardCount: state.key.guardCount, guards: guards, sums: sums)
      whole.names = state.names.limited
      return whole
    }

    /// - Parameters:
    ///   - fromStart: whether it is the row of the day of the process's start: other days' rows have calls alone.
    ///   - wasCounted: whether its run has counted before, and has claimed to have watched more than it did.
    mutating func see(_ image: ObservedProcess.Image, fromStart: Bool, wasCounted: Bool) {
      let known = image.unseen ?? UnseenFunctions()
      let unseen =
        image.unseen == nil || fromStart ? known : known.withoutStart(of: image.guardCount)
      state.unseen = isNew ? unseen : state.unseen.intersection(unseen)
      isNew = false
      guard wasCounted else { return }
      let gaps = known.gaps(of: image.guardCount)
      state.unseen = state.unseen.union(gaps)
      state.laterGaps = state.laterGaps.union(gaps)
    }
  }

  private let labels: FleetLabels
  private let countsHosts: Bool
  private var rows: [StateKey: Row] = [:]
  /// Builds whose counts have changed on the host.
  package private(set) var newOnHost: Set<BuildKey> = []

  /// - Parameters:
  ///   - countsHosts: false if it is unknown which functions are new on the host.
  package init(labels: FleetLabels, countsHosts: Bool = true) {
    self.labels = labels
    self.countsHosts = countsHosts
  }

  /// The rows so far.
  package func states(version: RowVersion = .none) -> [SeriesState] {
    rows.values.map { row in
      var state = row.whole
      state.version = version
      return state
    }
  }

  /// Counts a process, or the calls of a running process since it was last counted.
  ///
  /// - Parameters:
  ///   - run: the counts of its run so far; updated with this process.
  ///   - host: the counts of its host so far; updated with this process.
  ///   - seconds: its contribution to the run's recorded time; nil: by the run's span.
  /// - Returns: that contribution; nil if a running process called nothing more.
  /// - Complexity: O(calls) if `process.needsCalls`, else O(words of the called sets).
  @discardableResult
  package mutating func count(
    _ process: ObservedProcess, run: inout CoverageTally, host: inout CoverageTally,
    seconds: Double? = nil
  ) -> Double? {
    if !process.hasEnded, run.hasCounted(process) { return nil }
    let seen = process.seen(without: run)
    let wasCounted = process.images.map { run.builds[$0.build] != nil }
    let program = process.program
    var new: [GuardSet] = []
    for (place, image) in process.images.enumerated() {
      let counted = run.builds[image.build]
      let known = host.builds[image.build]
      var called = counted ?? GuardSet()
      called.formUnion(image.called)
      // Another process of the run may have reported more guards for the build.
      new.append((known.map { called.subtracting($0) } ?? called).below(image.guardCount))
      run.builds[image.build] = called
      if !new[place].isEmpty || known == nil {
        host.builds[image.build, default: GuardSet()].formUnion(called)
        newOnHost.insert(image.build)
      }
      let (countsRun, countsHost) = (counted == nil, countsHosts && known == nil)
      // Later days have only the calls that were new then.
      let hasGaps = image.unseen?.gaps(of: image.guardCount).isEmpty == false
      guard countsRun || countsHost || place == program || hasGaps else { continue }
      update(image, process.startedAt) { row in
        row.see(image, fromStart: true, wasCounted: wasCounted[place])
        row.state.totals.runs += countsRun ? 1 : 0
        row.state.totals.windows += countsRun && image.isWindow ? 1 : 0
        row.state.totals.hosts += countsHost ? 1 : 0
        row.state.names.add(image.name, runs: countsRun ? 1 : 0)
      }
    }
    let callers = countsHosts ? process.firstCallers(of: new) : []
    for (place, image) in process.images.enumerated() {
      for (time, guards) in seen[place] {
        let first = countsHosts ? guards.intersection(new[place]) : GuardSet()
        let isOfStart = FleetDay.counting(time) == FleetDay.counting(process.startedAt)
        update(image, time) { row in
          row.see(image, fromStart: isOfStart, wasCounted: wasCounted[place])
          row.state.names.add(image.name, runs: 0)
          row.sets.append((time, guards))
          if !first.isEmpty { row.newOnHost.append(first) }
          for index in first {
            guard let caller = callers[place][index], caller > 0 else { continue }
            row.state.callers[index] = min(row.state.callers[index] ?? .max, caller)
          }
        }
      }
    }
    let seconds = seconds ?? run.watch(from: process.startedAt, seconds: process.seconds)
    if process.images.indices.contains(program) {
      let isWindow = process.images[program].isWindow
      update(process.images[program], process.startedAt) { row in
        row.state.add(process, isFirst: !run.isStarted, seconds: seconds)
        row.state.totals.windowSeconds += isWindow ? Int(min(seconds, 3e9).rounded()) : 0
      }
    }
    run.isStarted = true
    host.isStarted = true
    return seconds
  }

  /// Changes the row of a build and of the day of a time, in seconds since 1970.
  private mutating func update(
    _ image: ObservedProcess.Image, _ time: Double, _ change: (inout Row) -> Void
  ) {
    let series = SeriesKey(build: image.build, day: FleetDay.counting(time), labels: labels)
    let key = StateKey(series: series, guardCount: image.guardCount)
    var row =
      rows.removeValue(forKey: key)
      ?? Row(state: SeriesState(key: key, name: "", isExecutable: image.isExecutable))
    change(&row)
    rows[key] = row
  }
}

extension SeriesState {
  /// Adds a process whose program is the row's build.
  fileprivate mutating func add(_ process: ObservedProcess, isFirst: Bool, seconds: Double) {
    totals.programRuns += isFirst ? 1 : 0
    totals.processes += process.hasEnded ? 1 : 0
    // A clock may have been off by a lifetime, which must not break the sums.
    totals.seconds += min(seconds, 3e9)
    totals.drops = totals.drops.addingClamped(process.losses.drops)
    totals.uncommitted = totals.uncommitted.addingClamped(process.losses.uncommitted)
    totals.lostImages = totals.lostImages.addingClamped(process.losses.lostImages)
    totals.unreadableSegments = totals.unreadableSegments.addingClamped(
      process.losses.unreadableSegments)
    totals.unrecordedProcesses = totals.unrecordedProcesses.addingClamped(
      process.losses.unrecordedProcesses)
    totals.runningProcesses = totals.runningProcesses.addingClamped(
      process.losses.runningProcesses)
    if let readyAfter = process.readyAfter { startups.add(readyAfter) }
    stages.add(process.stages)
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

  /// Whether all that a process has called so far is counted.
  fileprivate func hasCounted(_ process: ObservedProcess) -> Bool {
    isStarted
      && process.images.allSatisfy { image in
        builds[image.build].map { image.called.subtracting($0).isEmpty } ?? false
      }
  }

  /// Counts the time during which a process was recorded.
  ///
  /// - Returns: the additional seconds of the run's recorded time. Processes that run at the same
  ///   time share it. 0 for a run whose time was counted but is unknown.
  fileprivate mutating func watch(from start: Double, seconds: Double) -> Double {
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
