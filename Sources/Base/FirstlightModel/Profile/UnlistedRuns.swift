/// Runs that a profile counts without naming each: most of a fleet's runs, or all of them if the
/// query requested only sums.
package struct UnlistedRuns: Hashable, Sendable {
  package var runs: Int
  package var processes: Int
  /// Total duration of the runs.
  package var seconds: Double
  package var losses: Losses
  /// The runs that are windows of watching, and their total duration.
  package var windows = 0
  package var windowSeconds = 0.0
  /// Names of the machines, if known.
  package var hosts: Set<TextBytes> = []
  /// Seconds since 1970 from the first run's start to the last one's end; nil if unknown.
  package var span: ClosedRange<Double>?
  /// Problems of recording, each with its number of occurrences.
  package var problems: [TextBytes: Int] = [:]

  /// Bad ends, each with its number of runs.
  package var badEndings: [RunEnding: Int] = [:]

  /// Most different problems kept, so that memory does not grow with the runs.
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
    start: Double, end: Double, host: String, ending: RunEnding, problems: [String],
    isWindow: Bool = false
  ) {
    runs = runs.addingClamped(1)
    if isWindow {
      windows = windows.addingClamped(1)
      windowSeconds += max(0, end - start)
    }
    if ending.isBad { badEndings[ending, default: 0] += 1 }
    seconds += max(0, end - start)
    // No range has a bound that is not a number.
    if start.isFinite, end.isFinite { extend(start...max(start, end)) }
    if !hosts.contains(host) { hosts.insert(host) }
    for problem in problems { add(problem, 1) }
  }

  /// Adds a problem of all the runs together.
  package mutating func add(problem: String) { add(problem, 1) }

  private mutating func add(_ problem: String, _ count: Int) {
    let isKnown = problems[problem] != nil || problems.count < Self.mostProblems
    let name = isKnown ? problem : "other problems"
    problems[name] = problems[name, default: 0].addingClamped(count)
  }

  private mutating func extend(_ other: ClosedRange<Double>) {
    span =
      span.map {
        min($0.lowerBound, other.lowerBound)...max($0.upperBound, other.upperBound)
      } ?? other
  }

  static func + (a: UnlistedRuns, b: UnlistedRuns) -> UnlistedRuns {
    var sum = a
    sum.runs = a.runs.addingClamped(b.runs)
    sum.processes = a.processes.addingClamped(b.processes)
    sum.windows = a.windows.addingClamped(b.windows)
    sum.windowSeconds += b.windowSeconds
    sum.seconds += b.seconds
    sum.losses = a.losses + b.losses
    sum.hosts.formUnion(b.hosts)
    if let span = b.span { sum.extend(span) }
    for (problem, count) in b.problems { sum.add(problem.text, count) }
    sum.badEndings.merge(b.badEndings) { $0.addingClamped($1) }
    return sum
  }
}
