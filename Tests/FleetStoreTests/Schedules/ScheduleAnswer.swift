import FleetModel

/// What a store counts of a build: which traces, by the guard that each of them alone calls.
struct ScheduleAnswer: Hashable, Sendable {
  /// How often each guard that was called counts.
  var runs: [Int: Int] = [:]
  /// Runs and processes as the totals of the build's series have them.
  var totals: Set<Int> = []

  init() {}

  init(_ coverage: BuildCoverage?) {
    guard let coverage else { return }
    for (place, sum) in coverage.guards.called { runs[Int(place)] = sum.runs }
    totals = [coverage.totals.runs]
  }

  /// The traces that are counted.
  var traces: Set<Int> { Set(runs.keys) }

  /// What no answer may be: traces that count twice, or only in part.
  var contradictions: [String] {
    var found: [String] = []
    for (trace, count) in runs.sorted(by: { $0.key < $1.key }) where count != 1 {
      found.append("trace \(trace) counts \(count) times")
    }
    let sum = runs.values.reduce(0, +)
    for total in totals where total != sum {
      found.append("\(total) runs in all, \(sum) in functions")
    }
    return found
  }
}
