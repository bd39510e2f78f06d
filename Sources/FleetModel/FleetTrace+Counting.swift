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
      let called = counter.set(of: place)
      let new = called.subtracting(known)
      if !new.isEmpty { images[place].newOnHost = process.firsts(of: new, image: place) }
      var all = known
      all.formUnion(called)
      host.builds[image.build] = all
      run.builds[image.build] = called
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
  private let process: ObservedProcess
  /// For each image what the run has called, this process included: the words of all images' sets, one
  /// set behind the other, so that a call costs one write.
  private var words: [UInt64] = []
  /// Where each image's words begin, and where the last one's end.
  private var starts = [0]

  init(_ process: ObservedProcess, run: Counted) {
    self.process = process
    for image in process.images {
      words += (run.builds[image.build] ?? GuardSet(guardCount: image.guardCount)).words
      starts.append(words.count)
    }
  }

  /// What the run has called of an image.
  func set(of place: Int) -> GuardSet { set(of: place, in: words) }

  mutating func count(into images: inout [FleetImage]) {
    let calls = process.calls
    var start = 0
    while start < calls.count {
      // Calls are in order of sequence: those of two threads can be some ns out of order, which is
      // no matter for the hour.
      let begin = (moment(of: calls[start]) / 3600).rounded(.down) * 3600
      var end = start + 1
      while end < calls.count, (begin..<begin + 3600).contains(moment(of: calls[end])) { end += 1 }
      count(start..<end, into: &images)
      start = end
    }
  }

  /// Seconds since 1970, and no moment that clocks don't show.
  @inline(__always)
  private func moment(of call: RecordedCall) -> Double {
    min(process.startedAt + Double(call.time) / 1e9, 1e11)
  }

  private mutating func count(_ range: Range<Int>, into images: inout [FleetImage]) {
    let before = words
    words.withUnsafeMutableBufferPointer { words in
      for call in process.calls[range] {
        let word = starts[Int(call.build)] + Int(call.guardIndex >> 6)
        // Guards beyond the set's end are left out.
        if word < starts[Int(call.build) + 1] { words[word] |= 1 << UInt64(call.guardIndex & 63) }
      }
    }
    let time = moment(of: process.calls[range.lowerBound])
    for place in images.indices {
      let guards = set(of: place).subtracting(set(of: place, in: before))
      if !guards.isEmpty { images[place].seen.append(SeenGuards(time: time, guards: guards)) }
    }
  }

  private func set(of place: Int, in words: [UInt64]) -> GuardSet {
    GuardSet(words: Array(words[starts[place]..<starts[place + 1]]))
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
