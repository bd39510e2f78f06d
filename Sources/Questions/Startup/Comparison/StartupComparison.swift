import FirstlightModel
import Inspection

/// The start-ups of two binaries, measured in alternation, and the difference.
package struct StartupComparison: Sendable {
  package var a: Side
  package var b: Side
  package var conditions: MeasuringConditions
  package let rows: [Row]
  /// Whether cold starts can be compared; nil for warm starts, or if not measured.
  package let evenness: ColdEvenness?
  /// The median delay until readiness was seen, in milliseconds, if it is too long compared with the start;
  /// otherwise nil.
  package let lateness: Double?

  package struct Side: Sendable {
    package var facts: BinaryFacts
    package var runs: [StartupRun]
    /// Nil if the pages are unknown.
    package var map: PageMap?

    package init(facts: BinaryFacts, runs: [StartupRun], map: PageMap?) {
      self.facts = facts
      self.runs = runs
      self.map = map
    }
  }

  /// One metric of both binaries.
  package struct Row: Sendable {
    package var metric: StartupMetric
    package var a: Sample
    package var b: Sample
    package var test: RankTest
    /// Adjusted for the number of rows.
    package var p: Double
    package var verdict: Verdict
    /// The 95% confidence interval of the difference from a to b, for comparable times; nil if there is none.
    package var shift: ClosedRange<Double>?

    /// Change of the median from a to b; nil if a's is 0.
    package var change: Double? {
      a.median == 0 ? nil : (b.median - a.median) / a.median
    }
  }

  package enum Verdict: String, Sendable {
    case lower, higher
    case same = "no measurable difference"
    /// A cold metric, but one binary found more of its files in memory, for reasons that are not its own.
    case uneven = "not comparable"
    /// Readiness was seen too late for a verdict, or the times vary so much that they would hide a difference.
    case unresolved = "not resolved"
  }

  /// The significance level.
  package static let level = 0.05

  package init(a: Side, b: Side, conditions: MeasuringConditions) {
    self.a = a
    self.b = b
    self.conditions = conditions
    let measured = StartupMetric.allCases.compactMap {
      metric -> (StartupMetric, Sample, Sample)? in
      let first = Sample(a.runs.compactMap { $0.values[metric] })
      let second = Sample(b.runs.compactMap { $0.values[metric] })
      guard first.count > 0, second.count > 0 else { return nil }
      // Shared memory that neither binary uses gets no row.
      if metric == .rssShared, first.sorted.last == 0, second.sorted.last == 0 { return nil }
      return (metric, first, second)
    }
    let evenness = ColdEvenness(a: a.runs, b: b.runs)
    self.evenness = evenness
    let lateness = Self.lateness(a.runs + b.runs)
    self.lateness = lateness
    let tests = measured.map { RankTest($0.1, $0.2) }
    let adjusted = FalseDiscovery.adjusted(tests.map(\.p))
    rows = measured.indices.map { index in
      let (metric, first, second) = measured[index]
      let effect = tests[index].effect
      let isComparable = evenness?.isEven != false || !ColdEvenness.concerns(metric)
      let isReal = adjusted[index] < Self.level && effect != 0
      let isLate = lateness != nil && metric.isTime
      var row = Row(
        metric: metric, a: first, b: second, test: tests[index], p: adjusted[index],
        verdict: !isComparable
          ? .uneven : isLate ? .unresolved : isReal ? (effect < 0 ? .lower : .higher) : .same)
      if isComparable, !isLate, metric.isTime {
        row.shift = RankTest.shift(from: first, to: second)
        if !isReal, !Self.excludesDifference(row.shift, of: first) { row.verdict = .unresolved }
      }
      return row
    }
  }

  /// The smallest difference of times that counts: a share of the median, and milliseconds.
  static let leastDifference = (share: 0.05, milliseconds: 0.1)

  /// Whether a confidence interval excludes every difference of times that counts.
  static func excludesDifference(_ shift: ClosedRange<Double>?, of times: Sample) -> Bool {
    let least = max(times.median * leastDifference.share, leastDifference.milliseconds)
    return shift.map { $0.lowerBound > -least && $0.upperBound < least } ?? false
  }

  /// Nil if readiness was seen in time in most runs.
  private static func lateness(_ runs: [StartupRun]) -> Double? {
    runs.count { !$0.isResolved } * 2 > runs.count ? Sample(runs.map(\.lateness)).median : nil
  }

  /// Names of the sections with a touched page in either map, most touched first; "" for headers.
  package var sectionNames: [String] {
    let first = a.map?.countsBySection ?? [:]
    let second = b.map?.countsBySection ?? [:]
    let names = Set(first.keys).union(second.keys)
    func touched(_ name: TextBytes) -> Int {
      max(first[name]?.touched ?? 0, second[name]?.touched ?? 0)
    }
    return names.filter { touched($0) > 0 }
      .sorted { (touched($1), $0) < (touched($0), $1) }.map(\.text)
  }
}
