import FirstlightModel

/// The sums of all guards of a build.
///
/// Only called guards take memory, whatever number of guards the build claims.
package struct GuardSums: Hashable, Sendable {
  /// Number of guards, called or not.
  package let guardCount: Int
  /// The called guards, rising.
  private var guards: [UInt32]
  /// The sum of each of `guards`.
  private var sums: [GuardSum]

  /// - Parameters:
  ///   - guards: the called guards, rising, each below `guardCount`.
  ///   - sums: the sum of each guard.
  package init(guardCount: Int, guards: [UInt32], sums: [GuardSum]) {
    precondition(guards.count == sums.count, "each called guard has a sum")
    self.guardCount = guardCount
    self.guards = guards
    self.sums = sums
  }

  /// Sums of guards beyond `guardCount` are omitted.
  package init(guardCount: Int, _ sums: [UInt32: GuardSum] = [:]) {
    let called = sums.compactMap { guardIndex, sum in
      sum.isCalled && Int(guardIndex) < guardCount ? guardIndex : nil
    }.sorted()
    self.init(
      guardCount: guardCount, guards: called, sums: called.map { sums[$0, default: GuardSum()] })
  }

  /// The called guards, rising, each with its sum.
  package var called: Zip2Sequence<[UInt32], [GuardSum]> { zip(guards, sums) }

  /// Adds other sums of the same guards.
  package mutating func add(_ other: GuardSums) {
    if other.guards.isEmpty { return }
    if guards == other.guards {
      for place in sums.indices { sums[place].add(other.sums[place]) }
      return
    }
    var (all, added): ([UInt32], [GuardSum]) = ([], [])
    all.reserveCapacity(Swift.max(guards.count, other.guards.count))
    added.reserveCapacity(all.capacity)
    var (mine, theirs) = (0, 0)
    while mine < guards.count || theirs < other.guards.count {
      let my = mine < guards.count ? guards[mine] : .max
      let their = theirs < other.guards.count ? other.guards[theirs] : .max
      all.append(Swift.min(my, their))
      var sum = GuardSum()
      if my <= their {
        sum = sums[mine]
        mine += 1
      }
      if their <= my {
        sum.add(other.sums[theirs])
        theirs += 1
      }
      added.append(sum)
    }
    (guards, sums) = (all, added)
  }

  /// Subtracts the runs and hosts of an earlier state. Times stay, so they may begin too early.
  mutating func subtract(_ earlier: GuardSums) {
    var rest: [UInt32: GuardSum] = [:]
    for (guardIndex, sum) in called {
      let before = earlier[Int(guardIndex)]
      rest[guardIndex] = GuardSum(
        runs: sum.runs - before.runs, hosts: Swift.max(0, sum.hosts - before.hosts),
        firstSeen: sum.firstSeen, lastSeen: sum.lastSeen)
    }
    self = GuardSums(guardCount: guardCount, rest)
  }

  /// Number of called guards.
  package var calledCount: Int { guards.count }
}

/// The sums of all guards, including uncalled ones.
extension GuardSums: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { guardCount }

  package subscript(guardIndex: Int) -> GuardSum {
    precondition(indices.contains(guardIndex), "no such guard")
    let place = guards.firstPlace(from: 0, notBelow: UInt32(guardIndex))
    return place < guards.count && guards[place] == guardIndex ? sums[place] : GuardSum()
  }
}

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

/// Adds up the guards' sums of many rows.
///
/// Merges sums of about equal numbers of rows, like merge sort: n rows move a function log2(n)
/// times, not n times.
package struct GuardSumsTally {
  private let guardCount: Int
  /// Each part has at least twice as many rows as the next one.
  private var parts: [(rows: Int, sums: GuardSums)] = []

  package init(guardCount: Int) { self.guardCount = guardCount }

  /// - Parameter sums: sums of a build with the same number of guards.
  package mutating func add(_ sums: GuardSums) {
    var part = (rows: 1, sums: sums)
    while let rows = parts.last?.rows, rows < 2 * part.rows {
      // Removed from the array, so that the addition happens in place.
      var last = parts.removeLast()
      last.rows += part.rows
      last.sums.add(part.sums)
      part = last
    }
    parts.append(part)
  }

  package var total: GuardSums {
    var sum = GuardSums(guardCount: guardCount)
    for part in parts.reversed() { sum.add(part.sums) }
    return sum
  }
}
