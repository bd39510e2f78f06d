import FirstlightModel
import Foundation
import Testing

@Suite struct BinomialBoundTests {
  /// Of none in n about 3/n (Hanley and Lippman-Hand, 1983).
  @Test(arguments: [10, 100, 1000, 10_000])
  func noneInManyIsAboutThreeInThem(trials: Int) {
    let bound = BinomialBound.upper(successes: 0, of: trials)
    #expect(abs(bound * Double(trials) - 3) < 0.5)
    #expect(abs(pow(1 - bound, Double(trials)) - 0.05) < 1e-9)
  }

  /// Oracle: the binomial sum itself, term by term.
  @Test(arguments: [(1, 10), (3, 20), (5, 5), (50, 100), (2, 1000)])
  func atTheBoundSoFewComeUpInOneCaseOfTwenty(successes: Int, trials: Int) {
    let bound = BinomialBound.upper(successes: successes, of: trials)
    if successes == trials { return #expect(bound == 1) }
    var sum = 0.0
    var term = pow(1 - bound, Double(trials))
    for k in 0...successes {
      sum += term
      term *= Double(trials - k) / Double(k + 1) * bound / (1 - bound)
    }
    #expect(abs(sum - 0.05) < 1e-6)
  }

  @Test func noTrialsSayNothing() {
    #expect(BinomialBound.upper(successes: 0, of: 0) == 1)
  }
}
