import FirstlightModel

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
