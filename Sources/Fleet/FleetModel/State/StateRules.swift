import FirstlightModel

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

  /// A host's clock may be slightly ahead of the receiver's. Days are UTC, so time zones do not matter.
  /// - Returns: nil if a row with this key is taken.
  package func refusal(of key: StateKey) -> RowRefusal? {
    if let dropped = removal(of: key.build, on: key.day) {
      return RowRefusal(
        .refused,
        "build \(key.build.buildID.short) was dropped up to \(dropped.before) by \(dropped.reason)")
    }
    if isClosed(key.day) {
      return RowRefusal(
        .late, "\(key.day) is closed: rows are taken from \(firstOpenDay) on")
    }
    return key.day.number > today.number + 1 ? RowRefusal(.early) : nil
  }

  package func isClosed(_ day: FleetDay) -> Bool { day < firstOpenDay && day != .undated }

  /// The removal of a build's evidence that covers a day, if there is one. Undated evidence is as old as its
  /// arrival.
  private func removal(of build: BuildKey, on day: FleetDay) -> DroppedEvidence? {
    let day = day == .undated ? today : day
    return dropped[build].flatMap { day < $0.before ? $0 : nil }
  }

  /// Whether an undated row was removed. Its next version would bring back the removed counts.
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
    for (place, state) in states.enumerated() {
      receipt.refusals[place] = refusal(of: state.key)
    }
    return (receipt, states.indices.filter { receipt.refusals[$0] == nil })
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

/// Why a store does not take a row.
package struct RowRefusal: Hashable, Sendable, Codable {
  package enum Kind: String, Sendable, Codable {
    /// The row's day is after tomorrow by the store's clock. Its host counts it as `FleetDay.undated`.
    case early
    /// The store will never accept it.
    case refused
    /// Its day is closed, but nothing was removed: its host may count it on a later day.
    case late
    /// The store has counts of another copy of the ledger.
    case foreign
    /// The store has removed an earlier version.
    case removed
    /// There is no room for its labels now (`SeriesRoom`).
    case crowded
  }

  package var kind: Kind
  /// Why it was refused, or is late.
  package var reason: String?

  package init(_ kind: Kind, _ reason: String? = nil) { (self.kind, self.reason) = (kind, reason) }
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
