import FirstlightModel

/// What a number of traces add to a store: a row for each function and series, not for each call.
///
/// Adding up is all there is to it, so any order and any division into batches gives the same store.
public struct BatchSums: Sendable {
  /// One series with its functions.
  public struct Series: Sendable {
    public var totals = SeriesTotals()
    public var startups = StartupHistogram()
    public var stages = StageHistograms()
    /// By guard; empty if no function of it was called, else one for each guard.
    public var guards: [GuardSum] = []
    /// What is still to be added to `guards`.
    fileprivate var sets: [(time: Double, set: GuardSet)] = []
  }

  /// A build as the traces describe it.
  public struct SeenBuild: Sendable {
    public var name: String
    public var isExecutable: Bool
    public var guardCount: Int
    /// Where guards were first called from: see `HostFirst.caller`. The smallest of each guard.
    public var callers: [UInt32: UInt64]

    public init(
      name: String, isExecutable: Bool, guardCount: Int, callers: [UInt32: UInt64] = [:]
    ) {
      self.name = name
      self.isExecutable = isExecutable
      self.guardCount = guardCount
      self.callers = callers
    }
  }

  public private(set) var series: [SeriesKey: Series] = [:]
  public private(set) var builds: [BuildKey: SeenBuild] = [:]

  /// - Parameter traces: each new to the store, each once, and of builds with as many guards as the
  ///   store knows of.
  public init(_ traces: some Sequence<FleetTrace>) {
    for trace in traces { add(trace) }
    for key in series.keys { series[key]?.addUp() }
  }

  private mutating func add(_ trace: FleetTrace) {
    let day = FleetDay(of: trace.startedAt)
    for image in trace.images {
      note(image)
      let key = SeriesKey(build: image.build, day: day, labels: trace.labels)
      if image.countsRun { series[key, default: Series()].totals.runs += 1 }
      if image.countsHost { series[key, default: Series()].totals.hosts += 1 }
      for seen in image.seen {
        let day = FleetDay(of: seen.time)
        let key = SeriesKey(build: image.build, day: day, labels: trace.labels)
        series[key, default: Series()].add(
          seen, newOnHost: image.newOnHost, guardCount: image.guardCount)
      }
    }
    guard trace.images.indices.contains(trace.program) else { return }
    let program = trace.images[trace.program].build
    series[SeriesKey(build: program, day: day, labels: trace.labels), default: Series()].add(trace)
  }

  private mutating func note(_ image: FleetImage) {
    var build =
      builds[image.build]
      ?? SeenBuild(
        name: image.name, isExecutable: image.isExecutable, guardCount: image.guardCount)
    for first in image.newOnHost where first.caller > 0 {
      build.callers[first.guardIndex] = min(
        build.callers[first.guardIndex] ?? .max, first.caller)
    }
    builds[image.build] = build
  }
}

extension BatchSums.Series {
  fileprivate mutating func add(_ seen: SeenGuards, newOnHost: [HostFirst], guardCount: Int) {
    if guards.isEmpty { guards = Array(repeating: GuardSum(), count: guardCount) }
    switch seen.guards {
    case .list(let list):
      guards.withUnsafeMutableBufferPointer { guards in
        for index in list where Int(index) < guards.count {
          guards[Int(index)].see(at: seen.time)
        }
      }
    case .bits(let set): sets.append((seen.time, set))
    }
    for first in newOnHost
    where Int(first.guardIndex) < guards.count && seen.guards.contains(first.guardIndex) {
      guards[Int(first.guardIndex)].hosts += 1
    }
  }

  /// Adds the sets to the sums, each guard once: with all its runs in the first set that has it, and
  /// with its last call in the last one.
  fileprivate mutating func addUp() {
    var runs = BitCounts(words: sets.isEmpty ? 0 : (guards.count + 63) / 64)
    for (_, set) in sets { runs.add(set) }
    sets.sort { $0.time < $1.time }
    forEachFirst(in: sets) { sums, index, time in
      let sum = GuardSum(runs: runs[index], hosts: 0, firstSeen: time, lastSeen: time)
      sums[Int(index)].add(sum)
    }
    forEachFirst(in: sets.reversed()) { sums, index, time in
      sums[Int(index)].lastSeen = max(sums[Int(index)].lastSeen, time)
    }
    sets = []
  }

  /// Calls `body` for each guard once, with the time of the first set that has it.
  private mutating func forEachFirst(
    in sets: some Sequence<(time: Double, set: GuardSet)>,
    _ body: (_ sums: inout [GuardSum], _ index: UInt32, _ time: Double) -> Void
  ) {
    var found = GuardSet(guardCount: guards.count)
    for (time, set) in sets {
      let new = set.subtracting(found)
      if new.isEmpty { continue }
      for index in new where Int(index) < guards.count { body(&guards, index, time) }
      found.formUnion(new)
    }
  }

  fileprivate mutating func add(_ trace: FleetTrace) {
    totals.programRuns += trace.countsRun ? 1 : 0
    totals.processes += 1
    totals.seconds += trace.seconds
    totals.drops += trace.losses.drops
    totals.uncommitted += trace.losses.uncommitted
    totals.lostImages += trace.losses.lostImages
    totals.unreadableSegments += trace.losses.unreadableSegments
    if let readyAfter = trace.readyAfter { startups.add(readyAfter) }
    stages.add(trace.stages)
  }
}
