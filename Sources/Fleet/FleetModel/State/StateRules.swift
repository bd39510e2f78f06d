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

/// What became of rows that were sent.
package struct StateReceipt: Hashable, Sendable {
  /// Rows that are newer than what the store had.
  package var added = 0
  /// Rows of which it has this version or a higher one.
  package var known = 0
  /// Sampled traces that it took. It silently leaves out those for which its sample has no room.
  package var samples = 0
  /// Rows that it will never take, with the reason.
  package var refused: [RefusedState] = []
  /// Rows that it does not take, since their day is beyond tomorrow by its clock: places in what was sent.
  /// Their host counts them as `FleetDay.undated`.
  package var early: [Int] = []
  /// The first day of which rows are taken: all before are closed.
  package var firstOpenDay = FleetDay(number: 0)
  /// For programs of these rows: the store wants only traces whose `family` is at most this. The limit never
  /// rises, so an outdated one does no harm.
  package var sampleLimits: [BuildKey: UInt64] = [:]

  package init() {}

  /// Adds what became of rows that were sent after these.
  /// - Parameter offset: how many were sent before them.
  package mutating func add(_ other: StateReceipt, after offset: Int) {
    added += other.added
    known += other.known
    samples += other.samples
    refused += other.refused.map { RefusedState(place: $0.place + offset, reason: $0.reason) }
    early += other.early.map { $0 + offset }
    firstOpenDay = max(firstOpenDay, other.firstOpenDay)
    sampleLimits.merge(other.sampleLimits) { min($0, $1) }
  }
}

/// A row that a store will never take.
package struct RefusedState: Hashable, Sendable {
  /// Which of those that were sent.
  package var place: Int
  package var reason: String

  package init(place: Int, reason: String) {
    self.place = place
    self.reason = reason
  }
}

/// What a publisher has one row for: a series of a build that has this many guards.
///
/// An uploader can claim any number of guards. Stores keep rows of different claims apart, and answer with
/// those whose claim is true.
package struct StateKey: Hashable, Sendable {
  package var series: SeriesKey
  package var guardCount: Int

  package init(series: SeriesKey, guardCount: Int) {
    self.series = series
    self.guardCount = guardCount
  }

  package var build: BuildKey { series.build }
  package var day: FleetDay { series.day }
  package var labels: FleetLabels { series.labels }
}
