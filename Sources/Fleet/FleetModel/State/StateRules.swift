/// Which rows a store takes.
package struct StateRules: Sendable {
  /// The first day that is open.
  package var firstOpenDay: FleetDay
  /// Of builds whose evidence was removed up to a day: the first day of which rows are taken again.
  package var dropped: [BuildKey: DroppedEvidence]
  /// By the receiver's clock.
  package var today: FleetDay

  package init(firstOpenDay: FleetDay, dropped: [BuildKey: DroppedEvidence], today: FleetDay) {
    self.firstOpenDay = firstOpenDay
    self.dropped = dropped
    self.today = today
  }

  package enum Verdict: Hashable, Sendable {
    case taken
    /// Its day is beyond tomorrow.
    case early
    /// Never, with the reason.
    case refused(String)
  }

  /// A host's clock may be a little ahead of the receiver's. Days are of UTC, so no time zone matters.
  package func verdict(on key: StateKey) -> Verdict {
    if key.day < firstOpenDay, key.day != .undated {
      return .refused("\(key.day) is closed: rows are taken from \(firstOpenDay) on")
    }
    if let dropped = removal(of: key.build, on: key.day) {
      return .refused(
        "build \(key.build.buildID.short) was dropped up to \(dropped.before) by \(dropped.reason)")
    }
    if key.day.number > today.number + 1 { return .early }
    return .taken
  }

  /// What removed the evidence of a build of a day, if something did.
  private func removal(of build: BuildKey, on day: FleetDay) -> DroppedEvidence? {
    dropped[build].flatMap { day < $0.before ? $0 : nil }
  }

  /// Decides on rows.
  /// - Returns: a receipt of those that are early or refused, and the places of those that are taken.
  package func decide(on states: [SeriesState]) -> (receipt: StateReceipt, taken: [Int]) {
    var receipt = StateReceipt()
    receipt.firstOpenDay = firstOpenDay
    var taken: [Int] = []
    for (place, state) in states.enumerated() {
      switch verdict(on: state.key) {
      case .taken: taken.append(place)
      case .early: receipt.early.append(place)
      case .refused(let reason): receipt.refused.append(RefusedState(place: place, reason: reason))
      }
    }
    return (receipt, taken)
  }

  /// The images that a sampled trace is kept for: those whose builds were not removed up to its day. Whether the
  /// day is closed does not matter, since a process may run for weeks before its trace comes.
  /// - Returns: nil if the trace is not kept: its program was removed, or it names none.
  package func images(of trace: FleetTrace) -> [FleetImage]? {
    let day = FleetDay.counting(trace.startedAt)
    guard let program = trace.programImage?.build, removal(of: program, on: day) == nil else {
      return nil
    }
    return trace.images.filter { removal(of: $0.build, on: day) == nil }
  }
}
