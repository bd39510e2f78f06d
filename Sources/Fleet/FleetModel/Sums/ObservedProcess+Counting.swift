import FirstlightModel

extension ObservedProcess {
  package var family: UInt64 { FamilyHash.of(run: run, root: root) }

  /// Its memory while it is counted, in units of `FleetTrace.answerWeight`.
  package var weight: Int {
    images.reduce(16 + (calls?.count ?? 0)) { $0 + 16 + $1.called.places.count }
  }

  /// Whether counting needs the calls: their order is wanted, or some are new on the host and need
  /// callers to distinguish shared bodies, or they span several hours.
  package func needsCalls(host: CoverageTally, sampleLimit: UInt64) -> Bool {
    if family <= sampleLimit || spansHours { return true }
    return images.contains { image in
      !image.isCounted
        && !(host.builds[image.build].map { image.called.subtracting($0) } ?? image.called).isEmpty
    }
  }

  var spansHours: Bool {
    callTimes.map { Self.hour(of: $0.lowerBound) != Self.hour(of: $0.upperBound) } ?? false
  }

  static func hour(of moment: Double) -> Double { (moment / 3600).rounded(.down) }

  /// For each image, the called guards that the run had not counted yet, by hour. The time is that of the hour's
  /// first call in any image, seconds since 1970.
  /// Counters have no times: theirs is `countedAt`.
  func seen(without run: CoverageTally) -> [[(time: Double, guards: GuardSet)]] {
    let byHour = spansHours ? calls.map { seen($0, without: run) } : nil
    return images.enumerated().map { place, image in
      if let byHour, !image.isCounted { return byHour[place] }
      let new = run.builds[image.build].map { image.called.subtracting($0) } ?? image.called
      guard !new.isEmpty, let time = image.isCounted ? countedAt : callTimes?.lowerBound else {
        return []
      }
      return [(time, new)]
    }
  }

  private func seen(
    _ calls: [RecordedCall], without run: CoverageTally
  ) -> [[(time: Double, guards: GuardSet)]] {
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
    var seen: [[(time: Double, guards: GuardSet)]] = images.map { _ in [] }
    for hour in hours.values.sorted(by: { $0.time < $1.time }) {
      for (place, guards) in hour.guards { seen[Int(place)].append((hour.time, GuardSet(guards))) }
    }
    return seen
  }

  /// The callers of each image's guards, as far as they are known: the link-time address just after a guard's first
  /// hook call identifies the shared body of a merged function.
  func firstCallers(of guards: [GuardSet]) -> [[UInt32: UInt64]] {
    var callerOf: [[UInt32: UInt64]] = images.map { _ in [:] }
    guard let calls, callers.count == calls.count, !guards.allSatisfy(\.isEmpty) else {
      return callerOf
    }
    for (call, caller) in zip(calls, callers)
    where guards[Int(call.build)].contains(call.guardIndex) {
      callerOf[Int(call.build)][call.guardIndex] = caller
    }
    return callerOf
  }
}
