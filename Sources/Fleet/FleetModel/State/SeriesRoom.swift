/// Limits the sets of labels that a build may have on one day.
///
/// Each set has sums of its own, and each answer reads them all. Without a limit, 100 kB with as many sets as rows
/// make each answer take seconds. Rows with further sets are not lost: their hosts keep them, as they do with rows
/// that come early, and answers say that they are missing.
package struct SeriesRoom: Sendable {
  /// Maximum number of sets of labels, the program's version included.
  package static let limit = 256

  private var known: Set<FleetLabels>

  /// - Parameter known: the sets that the store has.
  package init(_ known: some Sequence<FleetLabels>) { self.known = Set(known) }

  /// - Returns: whether there is room for a row with these labels.
  package mutating func admit(_ labels: FleetLabels) -> Bool {
    if known.contains(labels) { return true }
    guard known.count < Self.limit else { return false }
    known.insert(labels)
    return true
  }

  /// A sentence about days that have as many sets as they may.
  package static func sentence(_ days: [FleetDay]) -> String? {
    guard let last = days.max() else { return nil }
    let others = days.count > 1 ? " (and \(days.count - 1) more days)" : ""
    return "\(last)\(others) has \(limit) sets of labels, the most that are kept of a build: "
      + "runs with other labels may be missing"
  }
}
