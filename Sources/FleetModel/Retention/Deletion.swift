/// Something that retention removes from a store.
public struct Deletion: Hashable, Sendable {
  public enum Target: Hashable, Sendable {
    /// Of every build the days for which nothing came on this day or later: their sums, start-up times
    /// and sampled traces.
    case days(before: FleetDay)
    /// All that belongs to a build, its functions included.
    case build(BuildKey, program: String, lastReport: FleetDay)
  }

  public var target: Target
  /// The setting that demands it, such as `retain-days=90`.
  public var reason: String

  public init(_ target: Target, reason: String) {
    self.target = target
    self.reason = reason
  }
}

extension Deletion: CustomStringConvertible {
  /// What goes, for people.
  public var description: String {
    switch target {
    case .days(let before): "days before \(before)"
    case .build(let key, let program, let lastReport):
      "\(program), build id \(key.buildID.short), last reported on \(lastReport)"
    }
  }
}

/// How much a deletion removed.
public struct DeletedRows: Hashable, Sendable {
  /// Build x day.
  public var days = 0
  public var builds = 0
  /// Function x series.
  public var sums = 0
  public var sampledTraces = 0

  public init() {}

  public var isEmpty: Bool { self == DeletedRows() }
}
