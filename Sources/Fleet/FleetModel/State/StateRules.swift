/// Decides which rows a store accepts.
package struct StateRules: Sendable {
  /// The first day that is open.
  package var firstOpenDay: FleetDay
  /// Removed builds, with the first day whose rows are accepted again.
  package var dropped: [BuildKey: DroppedEvidence]
  /// The day of the receiver's clock.
  package var today: FleetDay

  package init(firstOpenDay: FleetDay, dropped: [BuildKey: DroppedEvidence], today: FleetDay) {
    self.firstOpenDay = firstOpenDay
    self.dropped = dropped
    self.today = today
  }

  package enum Verdict: Hashable, Sendable {
    case taken
    /// The row's day is after tomorrow.
    case early
    /// Never accepted, with the reason.
    case refused(String)
    /// Too late for its day, which is closed, with the reason. Its host may count it on a later day.
    case late(String)
  }

  /// A host's clock may be slightly ahead of the receiver's. Days are UTC, so time zones do not matter.
  package func verdict(on key: StateKey) -> Verdict {
    if let dropped = removal(of: key.build, on: key.day) {
      return .refused(
        "build \(key.build.buildID.short) was dropped up to \(dropped.before) by \(dropped.reason)")
    }
    if isClosed(key.day) {
      return .late("\(key.day) is closed: rows are taken from \(firstOpenDay) on")
    }
    if key.day.number > today.number + 1 { return .early }
    return .taken
  }

  package func isClosed(_ day: FleetDay) -> Bool { day < firstOpenDay && day != .undated }

  /// The removal of a build's evidence that covers a day, if there is one. Undated evidence is as old as its
  /// arrival.
  private func removal(of build: BuildKey, on day: FleetDay) -> DroppedEvidence? {
    let day = day == .undated ? today : day
    return dropped[build].flatMap { day < $0.before ? $0 : nil }
  }

  /// Whether an undated row was removed. Its next version would bring back what it counted before.
  /// - Parameter follows: the version that its sender knows to be stored.
  package func wasRemoved(
    _ key: StateKey, stored: RowVersion?, follows: RowVersion
  ) -> Bool {
    stored == nil && key.day == .undated && follows != .none && dropped[key.build] != nil
  }

  /// Classifies rows.
  /// - Returns: a receipt for the early or refused rows, and indices of the accepted ones.
  package func decide(on states: [SeriesState]) -> (receipt: StateReceipt, taken: [Int]) {
    var receipt = StateReceipt()
    receipt.firstOpenDay = firstOpenDay
    var taken: [Int] = []
    for (place, state) in states.enumerated() {
      switch verdict(on: state.key) {
      case .taken: taken.append(place)
      case .early: receipt.early.append(place)
      case .refused(let reason): receipt.refused.append(RefusedState(place: place, reason: reason))
      case .late(let reason):
        receipt.refused.append(RefusedState(place: place, reason: reason, isLate: true))
      }
    }
    return (receipt, taken)
  }

  /// The images that a sampled trace is kept for: those whose builds were not removed up to its day.
  /// A closed day does not matter here, since a process may run for weeks before its trace arrives.
  /// - Returns: nil if the trace is not kept: its program was removed, or is missing.
  package func images(of trace: FleetTrace) -> [FleetImage]? {
    let day = FleetDay.counting(trace.startedAt)
    guard let program = trace.programImage?.build, removal(of: program, on: day) == nil else {
      return nil
    }
    return trace.images.filter { removal(of: $0.build, on: day) == nil }
  }
}

/// The store's answer to sent rows.
package struct StateReceipt: Hashable, Sendable {
  /// Number of rows that were newer than the store's.
  package var added = 0
  /// Number of rows whose version, or a later one, the store already had.
  package var known = 0
  /// Indices of rows of which the store has what another copy of the ledger has counted. They are not accepted.
  package var foreign: [Int] = []
  /// Indices of rows of which the store has removed an earlier version. They are not accepted.
  package var removed: [Int] = []
  /// Number of stored sampled traces. Traces that do not fit the sample are silently omitted.
  package var samples = 0
  /// Rows that the store will never accept, with the reason.
  package var refused: [RefusedState] = []
  /// Indices of sent rows that are not accepted now. If their day is after tomorrow by the store's
  /// clock, their host counts them as `FleetDay.undated`.
  package var early: [Int] = []
  /// Indices of rows for whose labels there is no room now (`SeriesRoom`). They are not accepted.
  package var crowded: [Int] = []
  /// The first day whose rows are accepted: all earlier days are closed.
  package var firstOpenDay = FleetDay(number: 0)
  /// By program: the highest `family` whose traces the store wants. The limit never rises, so a sender with an
  /// old one merely sends too much.
  package var sampleLimits: [BuildKey: UInt64] = [:]

  package init() {}

  /// Adds the answer to rows that were sent after these.
  /// - Parameter offset: number of rows sent before them.
  package mutating func add(_ other: StateReceipt, after offset: Int) {
    added += other.added
    known += other.known
    foreign += other.foreign.map { $0 + offset }
    removed += other.removed.map { $0 + offset }
    samples += other.samples
    refused += other.refused.map { $0.moved(by: offset) }
    early += other.early.map { $0 + offset }
    crowded += other.crowded.map { $0 + offset }
    firstOpenDay = max(firstOpenDay, other.firstOpenDay)
    sampleLimits.merge(other.sampleLimits) { min($0, $1) }
  }
}

/// A row that a store will never accept.
package struct RefusedState: Hashable, Sendable {
  /// Index of the row among those sent.
  package var place: Int
  package var reason: String
  /// Whether its day is closed, but nothing was removed: its host may count it on a later day.
  package var isLate: Bool

  package init(place: Int, reason: String, isLate: Bool = false) {
    self.place = place
    self.reason = reason
    self.isLate = isLate
  }

  fileprivate func moved(by offset: Int) -> RefusedState {
    RefusedState(place: place + offset, reason: reason, isLate: isLate)
  }
}

/// The key of a publisher's row: a series of a build with this number of guards.
///
/// An uploader can claim any number of guards. Stores keep rows with different claims apart, and
/// answer with those whose claim is true.
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
