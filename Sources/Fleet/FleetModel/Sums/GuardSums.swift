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
