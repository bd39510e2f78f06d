import FirstlightModel

/// The store's answer to sent rows.
package struct StateReceipt: Hashable, Sendable, Codable {
  /// Number of rows that were newer than the store's.
  package var added = 0
  /// Number of rows whose version, or a later one, the store already had.
  package var known = 0
  /// The rows that are not taken, by their index among those sent.
  package var refusals: [Int: RowRefusal] = [:]
  /// Number of stored sampled traces. Traces that do not fit the sample are silently omitted.
  package var samples = 0
  /// The first day whose rows are accepted: all earlier days are closed.
  package var firstOpenDay = FleetDay(number: 0)
  /// By program: the highest `family` whose traces the store wants. The limit never rises, so a sender with an
  /// old one merely sends too much.
  package var sampleLimits: [BuildKey: UInt64] = [:]

  package init() {}

  /// Adds the answer to rows that were sent after these.
  /// - Parameter offset: number of rows sent before them.
  package mutating func add(_ other: StateReceipt, after offset: Int) {
    added = added.addingClamped(other.added)
    known = known.addingClamped(other.known)
    samples = samples.addingClamped(other.samples)
    for (place, refusal) in other.refusals { refusals[place + offset] = refusal }
    firstOpenDay = max(firstOpenDay, other.firstOpenDay)
    sampleLimits.merge(other.sampleLimits) { min($0, $1) }
  }

  /// The indices of rows that are not taken for one of these reasons, rising.
  package func places(_ kinds: RowRefusal.Kind...) -> [Int] {
    refusals.filter { kinds.contains($0.value.kind) }.keys.sorted()
  }
}
