import Testing

@testable import Startup

/// The rule by which `optimize` recommends.
@Suite struct StartupGainTests {
  /// Ten runs each around these medians.
  private func gain(
    _ medians: [StartupMetric: (a: Double, b: Double)], spread: Double = 0.01
  ) -> StartupGain {
    func runs(_ side: KeyPath<(a: Double, b: Double), Double>) -> [[StartupMetric: Double]] {
      (0..<10).map { run in
        medians.mapValues { $0[keyPath: side] * (1 + spread * (Double(run) - 4.5) / 4.5) }
      }
    }
    return StartupGain(StartupComparisonTests.comparison(runs(\.a), runs(\.b)))
  }

  @Test func aGainOfTimeIsWorthIt() {
    let gain = gain([.time: (67, 32), .rss: (23_000, 13_000)])
    #expect(gain.verdict == .worthIt)
    #expect(gain.gains.map(\.metric) == [.time, .rss])
  }

  /// The start is not faster.
  @Test func lessMemoryAloneGainsNoTime() {
    let gain = gain([.time: (10, 10), .rss: (20_000, 16_600)], spread: 0.001)
    #expect(gain.verdict == .noTime)
    #expect(gain.gains.map(\.metric) == [.rss])
    #expect(self.gain([.time: (10, 9), .rss: (20_000, 16_600)], spread: 0.001).verdict == .worthIt)
  }

  @Test func aShareOfAPercentOfMemoryIsNoGain() {
    #expect(gain([.time: (10, 10), .rssAnonymous: (1500, 1494)], spread: 0.001).verdict == .none)
  }

  @Test func aFractionOfAMicrosecondIsNoGain() {
    #expect(gain([.time: (0.5, 0.41)], spread: 0.001).verdict == .none)
  }

  @Test func memoryForTimeIsMixed() {
    let gain = gain([.time: (10, 11.07), .cachedPages: (100, 140), .rssAnonymous: (1500, 1000)])
    #expect(gain.verdict == .mixed)
    #expect(gain.losses.map(\.metric) == [.time, .cachedPages])
  }

  /// Nobody measures again what was recommended.
  @Test func aLongerTimeCountsEvenIfItMayBeChance() {
    let gain = gain([.time: (10, 11.07), .rssAnonymous: (1500, 1000)], spread: 0.3)
    #expect(gain.losses.map(\.verdict) == [.unresolved])
    #expect(gain.verdict == .mixed)
  }

  @Test func fewerFaultsOfAKindThatNobodyWaitsForAreNoGain() {
    #expect(gain([.time: (10, 10), .minorFaults: (1000, 500)]).verdict == .none)
  }

  @Test func timesThatWereSeenTooLateAreNotCompared() {
    func side(_ time: Double, lateness: Double) -> StartupComparison.Side {
      let runs = (0..<10).map { run in
        var run = StartupRun(values: [.time: time + Double(run) / 100, .rss: 5000])
        run.lateness = lateness
        return run
      }
      return .init(facts: StartupComparisonTests.comparison([], []).a.facts, runs: runs, map: nil)
    }
    func compare(lateness: Double) -> StartupComparison {
      let conditions = StartupComparisonTests.comparison([], []).conditions
      return StartupComparison(
        a: side(3, lateness: lateness), b: side(2, lateness: lateness), conditions: conditions)
    }
    let late = compare(lateness: 10)
    #expect(late.lateness == 10)
    #expect(late.rows.map(\.verdict) == [.unresolved, .same])
    #expect(StartupGain(late).verdict == .none)
    let punctual = compare(lateness: 0.2)
    #expect(punctual.lateness == nil)
    #expect(punctual.rows.map(\.verdict) == [.lower, .same])
  }
}
