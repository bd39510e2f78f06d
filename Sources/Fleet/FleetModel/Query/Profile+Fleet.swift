import FirstlightModel

/// A run of a profile while it is counted.
struct CountedRun {
  var tally: StateTally
  /// The run's processes with their calls.
  var samples: [FleetTrace] = []
  fileprivate var counts = CoverageTally()
}

extension Profile {
  /// Counts the processes of each run, by its id. They count runs, not hosts: a profile does not contain its host's
  /// other runs.
  ///
  /// - Throws: `.data` if traces of some processes were left out, since their calls are unknown; or if a window was
  ///   merged with other recordings, which may have seen the functions that it missed.
  func counted(labels: FleetLabels) throws(Failure) -> [TextBytes: CountedRun] {
    if let process = processes.first(where: \.isTraceLeftOut) {
      throw Failure(
        .data, "the profile lacks the trace of process \(process.pid), and maybe others (merged)",
        advice: "upload the profiles that it was merged from")
    }
    guard runs.count <= 1 || !runs.contains(where: { $0.attachment != nil }) else {
      throw Failure(
        .data, "a window of watching was merged with other recordings",
        advice: "upload the profiles that it was merged from")
    }
    let unseen = builds.map(\.unseen)
    let hosts = Dictionary(texts: runs.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let parents = Dictionary(
      texts: processes.map { ($0.run + "/" + $0.id, $0.forkedFrom) },
      uniquingKeysWith: { first, _ in first }
    )
    let empty = CountedRun(tally: StateTally(labels: labels, countsHosts: false))
    var counted: [TextBytes: CountedRun] = [:]
    for process in processes {
      guard let run = hosts[process.run] else { continue }
      var root = process.id
      // A damaged profile may contain a cycle.
      for _ in 0..<processes.count {
        guard let parent = parents[process.run + "/" + root] ?? nil else { break }
        root = parent
      }
      var observed = observed(
        process, run: run, root: root, unseen: unseen,
        // In a profile of one run, builds with runs were loaded, even without a call.
        loaded: runs.count == 1 && process.id == processes.first?.id
          ? builds.indices.filter { builds[$0].runs > 0 } : [])
      if observed.images.isEmpty { continue }
      if let excess = observed.excess {
        throw Failure(.data, "process \(process.pid) \(excess)")
      }
      if let typical = process.launch?.typical {
        // Breakpoints slowed this start down; the typical times are from untraced starts.
        observed.stages = typical.stages.mapValues { Double($0) / 1e9 }
        if observed.readyAfter != nil { observed.readyAfter = Double(typical.duration) / 1e9 }
      }
      var own = counted.removeValue(forKey: run.id) ?? empty
      // The run was recorded from before its first process to its end.
      let seconds = own.counts.isStarted ? 0 : max(0, run.endedAt - run.startedAt)
      var host = CoverageTally()
      own.tally.count(observed, run: &own.counts, host: &host, seconds: seconds)
      // Samples serve orders of a start-up.
      if run.attachment == nil,
        let sample = FleetTrace(observed, labels: labels, seconds: seconds)
      {
        own.samples.append(sample)
      }
      counted[run.id] = own
    }
    return counted
  }

  private func observed(
    _ process: RecordedProcess, run: Run, root: String, unseen: [UnseenFunctions], loaded: [Int]
  ) -> ObservedProcess {
    var places: [Int32: Int32] = [:]
    var images: [ObservedProcess.Image] = []
    var calls = process.calls
    let counting = builds.indices.filter {
      process.counted[builds[$0].build.buildID] != nil && builds[$0].build.recorder != .breakpoints
    }
    for build in (loaded + counting).map(Int32.init) + calls.map(\.build) where places[build] == nil
    {
      let recorded = builds[Int(build)].build
      places[build] = Int32(images.count)
      var image = ObservedProcess.Image(
        build: BuildKey(buildID: recorded.buildID, recorder: recorded.recorder),
        name: recorded.name, isExecutable: recorded.kind == .executable,
        guardCount: recorded.guardCount)
      if recorded.recorder == .breakpoints { image.unseen = unseen[Int(build)] }
      image.isWindow = run.attachment != nil
      images.append(image)
    }
    for index in calls.indices { calls[index].build = places[calls[index].build] ?? 0 }
    let counted = counting.compactMap { index -> ObservedProcess.Image? in
      let recorded = builds[index].build
      return process.counted[recorded.buildID].map { records in
        ObservedProcess.Image(
          build: BuildKey(buildID: recorded.buildID, recorder: .counters), name: recorded.name,
          isExecutable: recorded.kind == .executable, guardCount: records.count,
          called: GuardSet(words: records.words))
      }
    }
    images += counted.sorted { $0.build < $1.build }
    return ObservedProcess(
      run: run.id, process: process.id, forkedFrom: process.forkedFrom, root: root,
      host: run.host.name, startedAt: process.startedAt,
      seconds: max(0, run.endedAt - process.startedAt),
      readyAfter: process.readyAfter, losses: process.losses, images: images, calls: calls,
      callers: [])
  }
}

extension Profile {
  /// A profile of some builds in a store: their sums, and the sampled traces.
  package init(
    of builds: [(table: FunctionTable, coverage: BuildCoverage)], traces: [FleetTrace]
  ) {
    self.init()
    var totals = SeriesTotals()
    for (table, coverage) in builds {
      totals = totals + coverage.totals
      var recorded = RecordedBuild(
        build: table.build, runs: coverage.totals.runs,
        coverage: coverage.guards.map {
          GuardCoverage(runs: $0.runs, firstSeen: $0.firstSeen, lastSeen: $0.lastSeen)
        }, mergedBodies: table.mergedBodies(callers: coverage.callers))
      recorded.set(coverage.unseen)
      if coverage.totals.runs == 0 {
        // Without a start, any function may have been called before.
        recorded.withoutStart = Set(0..<UInt32(clamping: table.build.guardCount))
        recorded.unwatched = recorded.withoutStart
      }
      self.builds.append(recorded)
    }
    let places = Dictionary(
      builds.enumerated().map { ($1.table.key, Int32($0)) }, uniquingKeysWith: { first, _ in first }
    )
    var seen: Set<TraceID> = []
    var runs: [TextBytes: Run] = [:]
    // A trace may make false claims about a build.
    let guardCounts = Dictionary(
      builds.map { ($0.table.key, $0.coverage.guards.count) },
      uniquingKeysWith: { first, _ in first })
    let agreeing = traces.filter { trace in
      trace.images.allSatisfy { $0.guardCount == guardCounts[$0.build] ?? $0.guardCount }
    }
    for trace in agreeing where seen.insert(trace.id).inserted {
      runs[trace.run] = runs[trace.run].map { $0.joined(with: trace) } ?? Run(of: trace)
      processes.append(RecordedProcess(of: trace, places: places))
    }
    self.runs = runs.values.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
    processes.sort { ($0.startedAt, $0.run, $0.id) < ($1.startedAt, $1.run, $1.id) }
    unlisted = UnlistedRuns(
      runs: max(0, totals.programRuns - self.runs.count),
      processes: max(0, totals.processes - processes.count),
      seconds: max(0, totals.seconds - self.runs.reduce(0) { $0 + $1.endedAt - $1.startedAt }),
      losses: totals.losses.subtracting(processes.reduce(Losses()) { $0 + $1.losses }))
    // Windows send no traces.
    unlisted.windows = builds.reduce(0) { sum, build in
      let totals = build.coverage.totals
      return sum.addingClamped(min(totals.windows, totals.programRuns))
    }
    unlisted.windowSeconds = Double(totals.windowSeconds)
  }
}

extension Run {
  fileprivate init(of trace: FleetTrace) {
    self.init(
      id: trace.run, command: [trace.images[trace.program].name],
      host: Host(name: trace.host, kernel: "", architecture: "", processor: "", cores: 0),
      startedAt: trace.startedAt, endedAt: trace.startedAt + trace.seconds,
      ending: .other("unknown"),
      problems: [])
  }

  fileprivate func joined(with trace: FleetTrace) -> Run {
    var run = self
    // A trace's `seconds` are its contribution to the run's time, not its own duration.
    let seconds = run.endedAt - run.startedAt + trace.seconds
    run.startedAt = min(run.startedAt, trace.startedAt)
    run.endedAt = run.startedAt + seconds
    return run
  }
}

extension RecordedProcess {
  fileprivate init(of trace: FleetTrace, places: [BuildKey: Int32]) {
    let builds = trace.images.map { places[$0.build] }
    self.init(
      id: trace.process, run: trace.run,
      pid: UInt32(trace.process.prefix(upToAny: "-")) ?? 0, parentPID: 0,
      forkedFrom: trace.forkedFrom, path: trace.images[trace.program].name, arguments: [],
      startedAt: trace.startedAt, readyAfter: trace.readyAfter, losses: trace.losses,
      calls: trace.calls.compactMap { call in
        guard let build = builds[Int(call.build)] else { return nil }
        return RecordedCall(
          build: build, guardIndex: call.guardIndex, thread: call.thread, time: call.time)
      })
  }
}

extension SeriesTotals {
  /// The losses of the programs.
  package var losses: Losses {
    Losses(
      drops: drops, uncommitted: uncommitted, lostImages: lostImages,
      unreadableSegments: unreadableSegments, unrecordedProcesses: unrecordedProcesses,
      runningProcesses: runningProcesses)
  }

  package var lossCount: Int {
    [
      drops, uncommitted, lostImages, unreadableSegments, unrecordedProcesses, runningProcesses,
    ].reduce(0) { $0.addingClamped($1) }
  }
}

extension Losses {
  fileprivate func subtracting(_ other: Losses) -> Losses {
    Losses(
      drops: max(0, drops - other.drops), uncommitted: max(0, uncommitted - other.uncommitted),
      lostImages: max(0, lostImages - other.lostImages),
      unreadableSegments: max(0, unreadableSegments - other.unreadableSegments),
      unrecordedProcesses: max(0, unrecordedProcesses - other.unrecordedProcesses),
      runningProcesses: max(0, runningProcesses - other.runningProcesses))
  }
}
