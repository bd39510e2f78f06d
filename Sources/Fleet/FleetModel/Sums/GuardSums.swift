/// What was seen of a build's guards, one for each of them.
///
/// Only called guards take memory, whatever number of guards the build claims.
package struct GuardSums: Hashable, Sendable {
  /// How many guards there are, called or not.
  package let guardCount: Int
  /// Those that were called, rising.
  private var guards: [UInt32]
  /// Of each of `guards`.
  private var sums: [GuardSum]

  /// - Parameters:
  ///   - guards: those that were called, rising, each below `guardCount`.
  ///   - sums: of each of them.
  package init(guardCount: Int, guards: [UInt32], sums: [GuardSum]) {
    precondition(guards.count == sums.count, "each called guard has a sum")
    self.guardCount = guardCount
    self.guards = guards
    self.sums = sums
  }

  /// Those of guards beyond `guardCount` are left out.
  package init(guardCount: Int, _ sums: [UInt32: GuardSum] = [:]) {
    let called = sums.compactMap { guardIndex, sum in
      sum.isCalled && Int(guardIndex) < guardCount ? guardIndex : nil
    }.sorted()
    self.init(
      guardCount: guardCount, guards: called, sums: called.map { sums[$0, default: GuardSum()] })
  }

  /// The guards that were called, rising, each with its sum.
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

  /// How many of the guards were called.
  package var calledCount: Int { guards.count }
}

/// The sums by guard, also of those that were not called.
extension GuardSums: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { guardCount }

  package subscript(guardIndex: Int) -> GuardSum {
    precondition(indices.contains(guardIndex), "no such guard")
    let place = guards.firstPlace(from: 0, notBelow: UInt32(guardIndex))
    return place < guards.count && guards[place] == guardIndex ? sums[place] : GuardSum()
  }
}

/// What was seen of one guard: sums over runs and hosts.
package struct GuardSum: Hashable, Sendable {
  /// Runs that called it.
  package var runs: Int
  /// Hosts that called it; each counts on the day of its first call ever, under its labels.
  package var hosts: Int
  /// Seconds since 1970 of the earliest and the latest first call of a run, to within an hour; 0 if
  /// it was never called.
  package var firstSeen: Double
  package var lastSeen: Double

  package init(runs: Int = 0, hosts: Int = 0, firstSeen: Double = 0, lastSeen: Double = 0) {
    self.runs = runs
    self.hosts = hosts
    self.firstSeen = firstSeen
    self.lastSeen = lastSeen
  }

  package var isCalled: Bool { runs > 0 }

  /// Notes one run's call.
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

extension Int {
  /// The sum, or the nearest number there is: what strangers say must not end who adds it up.
  package func addingClamped(_ other: Int) -> Int {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? (other < 0 ? .min : .max) : sum
  }
}

/// Adds up the functions of many rows.
///
/// It merges sums of about equal numbers of rows, as merge sort does: n rows move a function log2(n) times and
/// not n times.
package struct GuardSumsTally {
  private let guardCount: Int
  /// Each of at least twice as many rows as the next one.
  private var parts: [(rows: Int, sums: GuardSums)] = []

  package init(guardCount: Int) { self.guardCount = guardCount }

  /// - Parameter sums: of a build with as many guards.
  package mutating func add(_ sums: GuardSums) {
    var part = (rows: 1, sums: sums)
    while let rows = parts.last?.rows, rows < 2 * part.rows {
      // Taken out, so that it is added to in place.
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
