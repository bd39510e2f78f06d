/// Something that retention removes from a store.
package struct Deletion: Hashable, Sendable {
  package enum Target: Hashable, Sendable {
    /// Of every build the days for which nothing came on this day or later: their sums, start-up times
    /// and sampled traces.
    case days(before: FleetDay)
    /// All that belongs to a build, its functions included.
    case build(BuildKey, program: String, lastReport: FleetDay)
  }

  package var target: Target
  /// The setting that demands it, such as `retain-days=90`.
  package var reason: String

  package init(_ target: Target, reason: String) {
    self.target = target
    self.reason = reason
  }
}

extension Deletion: CustomStringConvertible {
  /// What goes, for people.
  package var description: String {
    switch target {
    case .days(let before): "days before \(before)"
    case .build(let key, let program, let lastReport):
      "\(program), build id \(key.buildID.short), last reported on \(lastReport)"
    }
  }
}

/// How much a deletion removed.
package struct DeletedRows: Hashable, Sendable {
  /// Build x day.
  package var days = 0
  package var builds = 0
  /// Called functions of the rows.
  package var sums = 0
  package var sampledTraces = 0

  package init() {}

  package var isEmpty: Bool { self == DeletedRows() }
}
