/// What has been counted already of a run, or of a host under one set of labels: the functions that
/// another process of the run, or another run of the host, must not count again.
package struct CoverageTally: Hashable, Sendable {
  /// Whether any process was.
  package var isStarted = false
  package var builds: [BuildKey: GuardSet] = [:]
  /// Of a run, seconds since 1970 of its first process's start and the latest end; nil if not known.
  package var span: ClosedRange<Double>?

  package init(isStarted: Bool = false) { self.isStarted = isStarted }

  /// Counts the time in which a process was watched.
  ///
  /// - Returns: by how many seconds the run was watched longer than was counted. Processes that run beside
  ///   one another are watched in the same time. Nothing for a run whose time was counted and is not
  ///   known.
  mutating func watch(from start: Double, seconds: Double) -> Double {
    let own = start...(start + max(0, seconds))
    guard let known = span else {
      if isStarted { return 0 }
      span = own
      return own.upperBound - own.lowerBound
    }
    let all = min(known.lowerBound, own.lowerBound)...max(known.upperBound, own.upperBound)
    span = all
    return (all.upperBound - all.lowerBound) - (known.upperBound - known.lowerBound)
  }
}
