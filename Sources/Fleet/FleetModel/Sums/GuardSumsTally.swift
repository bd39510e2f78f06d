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
