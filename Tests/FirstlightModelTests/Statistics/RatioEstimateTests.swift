import FirstlightModel
import Testing

@Suite struct RatioEstimateTests {
  @Test func aSampleTimesAFactorIsThatManyTimesAsLarge() throws {
    let a = Sample([3, 5, 8, 13, 21, 34])
    let b = Sample(a.sorted.map { $0 * 1.25 })
    let estimate = try #require(RatioEstimate(from: a, to: b))
    #expect(abs(estimate.ratio - 1.25) < 1e-9)
    #expect(estimate.lower <= 1.25 && estimate.upper >= 1.25)
  }

  @Test func theMedianIsThatOfAllRatios() throws {
    // Ratios 2, 4, 1, 2, 8/1, 8/2: sorted 1 2 2 4 4 8.
    let estimate = try #require(RatioEstimate(from: Sample([1, 2]), to: Sample([2, 4, 8])))
    #expect(estimate.ratio == 3)
  }

  @Test func emptyReportsSayNothing() {
    #expect(RatioEstimate(from: Sample([]), to: Sample([1])) == nil)
    #expect(RatioEstimate(from: Sample([1]), to: Sample([])) == nil)
    #expect(RatioEstimate(from: Sample([0, 1]), to: Sample([1])) == nil)
  }

  @Test func theIntervalHoldsTheTrueRatioAsOftenAsItSays() throws {
    var noise = StartupNoise(seed: 7)
    var held = 0
    let trials = 1000
    for _ in 0..<trials {
      let a = Sample(noise.times(20, around: 10, spread: 0.1))
      let b = Sample(noise.times(20, around: 12, spread: 0.1))
      let estimate = try #require(RatioEstimate(from: a, to: b))
      if estimate.lower <= 1.2 && 1.2 <= estimate.upper { held += 1 }
    }
    // 95% of 1,000, give or take three and a half standard deviations.
    #expect((926...974).contains(held), "\(held)")
  }

  @Test func largeSamplesAreThinnedAndStillTold() throws {
    let a = Sample((1...5000).map(Double.init))
    let estimate = try #require(RatioEstimate(from: a, to: Sample(a.sorted.map { $0 * 2 })))
    #expect(abs(estimate.ratio - 2) < 0.05)
  }
}
