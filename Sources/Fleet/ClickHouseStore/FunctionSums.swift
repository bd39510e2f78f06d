import FleetModel

/// What was seen of a build's functions in some series: as the tables have it, and as it is kept for the next
/// question.
struct FunctionSums: Sendable {
  /// By guard.
  var sums: [UInt32: GuardSum] = [:]
  /// Where guards were first called from, of all series.
  var callers: [UInt32: UInt64] = [:]

  struct Question: Hashable, Sendable {
    var build: BuildKey
    var series: SeriesFilter
  }

  /// In functions: about 100 bytes each.
  var weight: Int { sums.count + callers.count }

  static func + (a: FunctionSums, b: FunctionSums) -> FunctionSums {
    var sum = a
    for (index, value) in b.sums { sum.sums[index, default: GuardSum()].add(value) }
    sum.callers.merge(b.callers) { min($0, $1) }
    return sum
  }
}
