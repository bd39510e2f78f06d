import FirstlightModel

extension FleetTrace {
  /// Counts a process.
  ///
  /// - Parameters:
  ///   - process: a process that was not counted before.
  ///   - run: the counts of its run so far; updated with this process.
  ///   - host: the counts of its host so far with these labels; updated with this process.
  ///   - sampleLimit: the largest `family` whose order of calls is wanted.
  /// - Complexity: O(calls) if `process.needsCalls`, else O(words of the called sets).
  package init(
    counting process: ObservedProcess, run: inout CoverageTally, host: inout CoverageTally,
    labels: FleetLabels, sampleLimit: UInt64 = .max
  ) {
    var images: [FleetImage] = []
    var new: [GuardSet] = []
    let seen = process.seen(without: run)
    for (place, image) in process.images.enumerated() {
      let counted = run.builds[image.build]
      let known = host.builds[image.build]
      var called = counted ?? GuardSet()
      called.formUnion(image.called)
      // Another process of the run may have reported more guards for the build.
      new.append((known.map { called.subtracting($0) } ?? called).below(image.guardCount))
      images.append(
        FleetImage(
          build: image.build, name: image.name, isExecutable: image.isExecutable,
          guardCount: image.guardCount, countsRun: counted == nil, countsHost: known == nil,
          seen: seen[place], newOnHost: []))
      run.builds[image.build] = called
      if !new[place].isEmpty || known == nil {
        host.builds[image.build, default: GuardSet()].formUnion(called)
      }
    }
    for (place, firsts) in process.firsts(of: new).enumerated() { images[place].newOnHost = firsts }
    let family = process.family
    let seconds = run.watch(from: process.startedAt, seconds: process.seconds)
    self.init(
      id: TraceID(run: process.run, process: process.process), run: process.run,
      process: process.process, forkedFrom: process.forkedFrom, family: family,
      host: process.host, labels: labels, startedAt: process.startedAt, seconds: seconds,
      readyAfter: process.readyAfter, countsRun: !run.isStarted, losses: process.losses,
      images: images, program: process.program, callCount: process.callCount,
      calls: family <= sampleLimit ? process.calls : nil)
    run.isStarted = true
    host.isStarted = true
  }
}

extension ObservedProcess {
  fileprivate var family: UInt64 { FamilyHash.of(run: run, root: root) }

  /// Whether counting needs the calls: their order is wanted, or some are new on the host and need
  /// callers to distinguish shared bodies, or they span several hours.
  package func needsCalls(host: CoverageTally, sampleLimit: UInt64) -> Bool {
    if family <= sampleLimit || spansHours { return true }
    return images.contains { image in
      !(host.builds[image.build].map { image.called.subtracting($0) } ?? image.called).isEmpty
    }
  }

  var spansHours: Bool {
    callTimes.map { Self.hour(of: $0.lowerBound) != Self.hour(of: $0.upperBound) } ?? false
  }

  static func hour(of moment: Double) -> Double { (moment / 3600).rounded(.down) }

  /// For each image, the called guards that the run had not counted yet, by hour.
  fileprivate func seen(without run: CoverageTally) -> [[SeenGuards]] {
    guard let callTimes else { return images.map { _ in [] } }
    if let calls, spansHours { return seen(calls, without: run) }
    return images.map { image in
      let new = run.builds[image.build].map { image.called.subtracting($0) } ?? image.called
      return new.isEmpty
        ? [] : [SeenGuards(time: callTimes.lowerBound, guards: GuardSelection(new))]
    }
  }

  private func seen(_ calls: [RecordedCall], without run: CoverageTally) -> [[SeenGuards]] {
    struct Hour {
      /// Time of the first call in any image.
      var time: Double
      /// Guards by image.
      var guards: [Int32: [UInt32]] = [:]
    }
    let counted = images.map { run.builds[$0.build] }
    var hours: [Double: Hour] = [:]
    var isSeen: Set<UInt64> = []
    for call in calls {
      let time = Self.moment(call.time, from: startedAt)
      let isNew =
        counted[Int(call.build)]?.contains(call.guardIndex) != true
        && isSeen.insert(UInt64(call.build) << 32 | UInt64(call.guardIndex)).inserted
      var hour = hours.removeValue(forKey: Self.hour(of: time)) ?? Hour(time: time)
      hour.time = min(hour.time, time)
      if isNew { hour.guards[call.build, default: []].append(call.guardIndex) }
      hours[Self.hour(of: time)] = hour
    }
    var seen: [[SeenGuards]] = images.map { _ in [] }
    for hour in hours.values.sorted(by: { $0.time < $1.time }) {
      for (place, guards) in hour.guards {
        seen[Int(place)].append(
          SeenGuards(time: hour.time, guards: GuardSelection(GuardSet(guards))))
      }
    }
    return seen
  }

  /// The callers of each image's guards.
  fileprivate func firsts(of guards: [GuardSet]) -> [[HostFirst]] {
    var callerOf: [[UInt32: UInt64]] = images.map { _ in [:] }
    if let calls, callers.count == calls.count, !guards.allSatisfy(\.isEmpty) {
      for (call, caller) in zip(calls, callers)
      where guards[Int(call.build)].contains(call.guardIndex) {
        callerOf[Int(call.build)][call.guardIndex] = caller
      }
    }
    return zip(guards, callerOf).map { guards, callerOf in
      guards.map { HostFirst(guardIndex: $0, caller: callerOf[$0] ?? 0) }
    }
  }
}
