/// Runs that a profile counts without naming each: a fleet's, of which only a sample is named, and all of
/// them where only their sums were requested.
package struct UnlistedRuns: Hashable, Sendable {
  package var runs: Int
  package var processes: Int
  /// How long they were watched, summed.
  package var seconds: Double
  package var losses: Losses
  /// Names of the machines, as far as they are known.
  package var hosts: Set<String> = []
  /// Seconds since 1970 of the first one's start and the last one's end; nil if that is not known.
  package var span: ClosedRange<Double>?
  /// What went wrong while recording, with how often it did.
  package var problems: [String: Int] = [:]

  /// How runs ended that did not end well, with how many did.
  package var badEndings: [RunEnding: Int] = [:]

  /// How many different problems are kept, so that memory does not grow with the runs.
  private static let mostProblems = 1_000

  package init(runs: Int = 0, processes: Int = 0, seconds: Double = 0, losses: Losses = Losses()) {
    self.runs = runs
    self.processes = processes
    self.seconds = seconds
    self.losses = losses
  }

  /// Adds a run.
  ///
  /// - Parameters:
  ///   - start, end: seconds since 1970.
  package mutating func add(
    start: Double, end: Double, host: String, ending: RunEnding, problems: [String]
  ) {
    runs += 1
    if ending.isBad { badEndings[ending, default: 0] += 1 }
    seconds += max(0, end - start)
    extend(start...max(start, end))
    if !hosts.contains(host) { hosts.insert(host) }
    for problem in problems { add(problem, 1) }
  }

  /// Notes something that all of the runs together lack.
  package mutating func add(problem: String) { add(problem, 1) }

  private mutating func add(_ problem: String, _ count: Int) {
    let isKnown = problems[problem] != nil || problems.count < Self.mostProblems
    problems[isKnown ? problem : "other problems", default: 0] += count
  }

  private mutating func extend(_ other: ClosedRange<Double>) {
    span =
      span.map {
        min($0.lowerBound, other.lowerBound)...max($0.upperBound, other.upperBound)
      } ?? other
  }

  static func + (a: UnlistedRuns, b: UnlistedRuns) -> UnlistedRuns {
    var sum = a
    sum.runs += b.runs
    sum.processes += b.processes
    sum.seconds += b.seconds
    sum.losses = a.losses + b.losses
    sum.hosts.formUnion(b.hosts)
    if let span = b.span { sum.extend(span) }
    for (problem, count) in b.problems { sum.add(problem, count) }
    sum.badEndings.merge(b.badEndings, uniquingKeysWith: +)
    return sum
  }
}
