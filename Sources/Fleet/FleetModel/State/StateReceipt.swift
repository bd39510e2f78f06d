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
