import FirstlightModel

/// The sums of one guard over runs and hosts.
package struct GuardSum: Hashable, Sendable {
  /// Runs that called the guard.
  package var runs: Int
  /// Hosts that called it; each counts on the day of its first call ever, with its labels.
  package var hosts: Int
  /// Seconds since 1970 of the earliest and the latest first call of a run, rounded to the hour; 0
  /// if the guard was never called.
  package var firstSeen: Double
  package var lastSeen: Double

  package init(runs: Int = 0, hosts: Int = 0, firstSeen: Double = 0, lastSeen: Double = 0) {
    self.runs = runs
    self.hosts = hosts
    self.firstSeen = firstSeen
    self.lastSeen = lastSeen
  }

  package var isCalled: Bool { runs > 0 }

  /// Counts one run's call.
  @inline(__always) package mutating func see(at time: Double) {
    if runs == 0 || time < firstSeen { firstSeen = time }
    if time > lastSeen { lastSeen = time }
    runs += 1
  }

  package mutating func add(_ other: GuardSum) {
    guard other.isCalled else { return }
    firstSeen = isCalled ? min(firstSeen, other.firstSeen) : other.firstSeen
    lastSeen = max(lastSeen, other.lastSeen)
    runs = runs.addingClamped(other.runs)
    hosts = hosts.addingClamped(other.hosts)
  }
}
