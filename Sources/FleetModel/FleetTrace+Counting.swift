import FirstlightModel

extension FleetTrace {
  /// Counts a process.
  ///
  /// - Parameters:
  ///   - process: one that was not counted before.
  ///   - run: what its run has counted so far; grows by this process.
  ///   - host: what its host has counted so far under these labels; grows by this process.
  ///   - sampleLimit: the largest `family` of which the order of calls is wanted.
  /// - Complexity: O(calls + guards / 64).
  public init(
    counting process: ObservedProcess, run: inout Counted, host: inout Counted,
    labels: FleetLabels, sampleLimit: UInt64 = .max
  ) {
    var images: [FleetImage] = process.images.map { image in
      FleetImage(
        build: image.build, name: image.name, isExecutable: image.isExecutable,
        guardCount: image.guardCount, countsRun: run.builds[image.build] == nil,
        countsHost: host.builds[image.build] == nil, seen: [], newOnHost: [])
    }
    var counter = CallCounter(process, run: run)
    counter.count(into: &images)
    for (place, image) in process.images.enumerated() {
      let known = host.builds[image.build] ?? GuardSet(guardCount: image.guardCount)
      let new = counter.sets[place].subtracting(known)
      if !new.isEmpty { images[place].newOnHost = process.firsts(of: new, image: place) }
      var all = known
      all.formUnion(counter.sets[place])
      host.builds[image.build] = all
      run.builds[image.build] = counter.sets[place]
    }
    let family = FamilyHash.of(run: process.run, root: process.root)
    self.init(
      id: TraceID(run: process.run, process: process.process), run: process.run,
      process: process.process, forkedFrom: process.forkedFrom, family: family,
      host: process.host, labels: labels, startedAt: process.startedAt, seconds: process.seconds,
      readyAfter: process.readyAfter, countsRun: !run.isStarted, losses: process.losses,
      images: images, program: process.program, callCount: process.calls.count,
      calls: family <= sampleLimit ? process.calls : nil)
    run.isStarted = true
    host.isStarted = true
  }
}

/// Finds which of a process's calls its run has not counted yet, hour by hour.
private struct CallCounter {
  /// For each image what the run has called, this process included.
  private(set) var sets: [GuardSet]
  private let process: ObservedProcess

  init(_ process: ObservedProcess, run: Counted) {
    self.process = process
    sets = process.images.map { run.builds[$0.build] ?? GuardSet(guardCount: $0.guardCount) }
  }

  mutating func count(into images: inout [FleetImage]) {
    let calls = process.calls
    var start = 0
    while start < calls.count {
      // Calls are in order of sequence: those of two threads can be some ns out of order, which is
      // no matter for the hour.
      let hour = self.hour(of: calls[start])
      var end = start
      while end < calls.count, self.hour(of: calls[end]) == hour { end += 1 }
      count(start..<end, into: &images)
      start = end
    }
  }

  private func moment(of call: RecordedCall) -> Double {
    process.startedAt + Double(call.time) / 1e9
  }

  private func hour(of call: RecordedCall) -> Int { Int(moment(of: call) / 3600) }

  private mutating func count(_ range: Range<Int>, into images: inout [FleetImage]) {
    let before = sets
    for call in process.calls[range] { sets[Int(call.build)].insert(call.guardIndex) }
    let time = moment(of: process.calls[range.lowerBound])
    for place in images.indices where sets[place] != before[place] {
      images[place].seen.append(
        SeenGuards(time: time, guards: sets[place].subtracting(before[place])))
    }
  }
}

extension ObservedProcess {
  /// Where these guards were called from.
  /// - Parameter guards: rising.
  fileprivate func firsts(of guards: [UInt32], image: Int) -> [HostFirst] {
    guard callers.count == calls.count else {
      return guards.map { HostFirst(guardIndex: $0, caller: 0) }
    }
    var callerOf: [UInt32: UInt64] = [:]
    callerOf.reserveCapacity(guards.count)
    for (call, caller) in zip(calls, callers) where Int(call.build) == image {
      callerOf[call.guardIndex] = caller
    }
    return guards.map { HostFirst(guardIndex: $0, caller: callerOf[$0] ?? 0) }
  }
}
