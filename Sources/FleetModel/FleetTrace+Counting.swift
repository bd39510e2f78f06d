import FirstlightModel

extension FleetTrace {
  /// Counts a process.
  ///
  /// - Parameters:
  ///   - process: one that was not counted before.
  ///   - run: what its run has counted so far; grows by this process.
  ///   - host: what its host has counted so far under these labels; grows by this process.
  ///   - sampleLimit: the largest `family` of which the order of calls is wanted.
  /// - Complexity: O(calls + guards / 64) where `process.needsCalls`, else O(guards / 64).
  public init(
    counting process: ObservedProcess, run: inout Counted, host: inout Counted,
    labels: FleetLabels, sampleLimit: UInt64 = .max
  ) {
    var images: [FleetImage] = []
    for (place, image) in process.images.enumerated() {
      let counted = run.builds[image.build]
      let known = host.builds[image.build]
      var called = counted ?? GuardSet(guardCount: image.guardCount)
      let seen = process.seen(of: place, without: called)
      called.formUnion(image.called)
      let new = known.map { called.subtracting($0) } ?? called
      images.append(
        FleetImage(
          build: image.build, name: image.name, isExecutable: image.isExecutable,
          guardCount: image.guardCount, countsRun: counted == nil, countsHost: known == nil,
          seen: seen, newOnHost: new.isEmpty ? [] : process.firsts(of: new, image: place)))
      run.builds[image.build] = called
      if !new.isEmpty || known == nil {
        host.builds[image.build, default: GuardSet(guardCount: image.guardCount)].formUnion(called)
      }
    }
    let family = process.family
    self.init(
      id: TraceID(run: process.run, process: process.process), run: process.run,
      process: process.process, forkedFrom: process.forkedFrom, family: family,
      host: process.host, labels: labels, startedAt: process.startedAt, seconds: process.seconds,
      readyAfter: process.readyAfter, countsRun: !run.isStarted, losses: process.losses,
      images: images, program: process.program, callCount: process.callCount,
      calls: family <= sampleLimit ? process.calls : nil)
    run.isStarted = true
    host.isStarted = true
  }
}

extension ObservedProcess {
  fileprivate var family: UInt64 { FamilyHash.of(run: run, root: root) }

  /// Whether it can only be counted with its calls: their order is wanted, or some are new on the host
  /// and the callers tell bodies apart, or they lie in more than one hour.
  public func needsCalls(host: Counted, sampleLimit: UInt64) -> Bool {
    if family <= sampleLimit || spansHours { return true }
    return images.contains { image in
      !(host.builds[image.build].map { image.called.subtracting($0) } ?? image.called).isEmpty
    }
  }

  private var spansHours: Bool {
    callTimes.map { Self.hour(of: $0.lowerBound) != Self.hour(of: $0.upperBound) } ?? false
  }

  private static func hour(of moment: Double) -> Double { (moment / 3600).rounded(.down) }

  /// What it called of an image and its run had not counted yet, hour by hour.
  fileprivate func seen(of place: Int, without counted: GuardSet) -> [SeenGuards] {
    guard let callTimes else { return [] }
    guard let calls, spansHours else {
      let new = images[place].called.subtracting(counted)
      return new.isEmpty
        ? [] : [SeenGuards(time: callTimes.lowerBound, guards: GuardSelection(new))]
    }
    var seen: [SeenGuards] = []
    var counted = counted
    var rest = calls[...]
    while let first = rest.first {
      // Calls are in order of sequence: those of two threads can be some ns out of order, which is
      // no matter for the hour.
      let time = Self.moment(first.time, from: startedAt)
      let hour = rest.prefix {
        Self.hour(of: Self.moment($0.time, from: startedAt)) == Self.hour(of: time)
      }
      rest = rest[hour.endIndex...]
      var called = GuardSet(guardCount: images[place].guardCount)
      for call in hour where Int(call.build) == place { called.insert(call.guardIndex) }
      let new = called.subtracting(counted)
      if !new.isEmpty { seen.append(SeenGuards(time: time, guards: GuardSelection(new))) }
      counted.formUnion(called)
    }
    return seen
  }

  /// Where these guards were called from.
  fileprivate func firsts(of guards: GuardSet, image: Int) -> [HostFirst] {
    var callerOf: [UInt32: UInt64] = [:]
    if let calls, callers.count == calls.count {
      for (call, caller) in zip(calls, callers)
      where Int(call.build) == image && guards.contains(call.guardIndex) {
        callerOf[call.guardIndex] = caller
      }
    }
    return guards.map { HostFirst(guardIndex: $0, caller: callerOf[$0] ?? 0) }
  }
}
