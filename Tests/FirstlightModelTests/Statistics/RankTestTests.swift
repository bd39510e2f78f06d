import FirstlightModel
import Testing

/// Expected values: SciPy 1.17 (`stats.mannwhitneyu`, `stats.false_discovery_control`,
/// `stats.median_abs_deviation`, `numpy.percentile`); with ties, all permutations of its `rankdata`.
@Suite struct RankTestTests {
  @Test(
    arguments: [
      ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 0, 0.007936507936507936),
      (
        [12.1, 11.4, 13.8, 12.7, 11.9, 12.3, 14.2], [11.2, 10.9, 12.0, 11.7, 13.1, 10.5], 34,
        0.07342657342657342
      ),
      ([3, 3, 4, 4, 5, 6], [1, 2, 3, 3, 4, 2], 31, 0.05194805194805195),
      ([5, 9, 1], [2, 2, 7, 9, 12], 5.5, 0.7142857142857143),
      ([1, 1, 1, 1], [3, 3, 3, 3], 0, 0.02857142857142857),
      ([7, 7, 7], [7, 7, 7], 4.5, 1),
    ] as [([Double], [Double], Double, Double)])
  func smallSamplesAreTestedExactly(a: [Double], b: [Double], u: Double, p: Double) {
    let test = RankTest(Sample(a), Sample(b))
    #expect(test.isExact)
    #expect(test.u == u)
    #expect(abs(test.p - p) < 1e-12)
    let reversed = RankTest(Sample(b), Sample(a))
    #expect(abs(reversed.p - p) < 1e-12)
    #expect(abs(reversed.effect + test.effect) < 1e-12)
  }

  @Test func largeSamplesAreTestedByTheNormalApproximation() {
    let a = (0..<40).map { Double(($0 * 37) % 101) }
    let b = (0..<35).map { Double(($0 * 53) % 97 + 12) }
    let test = RankTest(Sample(a), Sample(b))
    #expect(!test.isExact)
    #expect(test.u == 605)
    #expect(abs(test.p - 0.31554021573397617) < 1e-12)
  }

  @Test func theLimitOfExactTestingIsMeaningful() {
    let values = (0..<30).map(Double.init)
    let test = RankTest(Sample(values), Sample(values.map { $0 + 100 }))
    #expect(test.isExact)
    // 2 of C(60, 30) choices.
    #expect(abs(test.p / (2 / 118_264_581_564_861_424.0) - 1) < 1e-9)
  }

  @Test func theEffectIsTheShareOfPairs() {
    #expect(RankTest(Sample([1, 2]), Sample([3, 4])).effect == 1)
    #expect(RankTest(Sample([3, 4]), Sample([1, 2])).effect == -1)
    #expect(RankTest(Sample([1, 4]), Sample([2, 3])).effect == 0)
  }

  @Test func noRunsDecideNothing() {
    #expect(RankTest(Sample([]), Sample([1, 2])).p == 1)
    #expect(Sample([]).median.isNaN)
  }

  @Test func quartilesAndSpreadAreThoseOfNumPyAndSciPy() {
    let sample = Sample([7, 1, 3, 10])
    #expect([0.25, 0.5, 0.75].map(sample.quantile) == [2.5, 5, 7.75])
    #expect(sample.interquartileRange == 5.25)
    #expect(Sample([7, 1, 3, 10, 20]).medianAbsoluteDeviation == 4)
  }

  /// Tables of the test have 23 as the critical value for ten values each.
  @Test func theAllowedShiftsAreThoseThatTheTestDoesNotReject() throws {
    let (a, b) = (
      Sample((1...10).map(Double.init)), Sample((1...10).map { Double($0) * 1.25 + 20 })
    )
    let shift = try #require(RankTest.shift(from: a, to: b))
    let differences = a.sorted.flatMap { first in b.sorted.map { $0 - first } }.sorted()
    #expect(shift == differences[23]...differences[76])
    for (value, isAllowed) in [(shift.lowerBound + 0.01, true), (differences[22] - 0.01, false)] {
      #expect((RankTest(a, Sample(b.sorted.map { $0 - value })).p > 0.05) == isAllowed)
    }
    #expect(RankTest.shift(from: Sample([1, 2, 3]), to: Sample([1, 2, 3])) == nil)
    #expect(RankTest.shift(from: Sample([]), to: a) == nil)
  }

  @Test func severalTestsAreAdjustedTogether() {
    let adjusted = FalseDiscovery.adjusted([0.01, 0.04, 0.03, 0.5, 0.005])
    for (value, expected) in zip(adjusted, [0.025, 0.05, 0.05, 0.5, 0.025]) {
      #expect(abs(value - expected) < 1e-12)
    }
    #expect(FalseDiscovery.adjusted([]).isEmpty)
  }
}
