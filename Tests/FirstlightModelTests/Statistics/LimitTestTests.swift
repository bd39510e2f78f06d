import FirstlightModel
import Testing

/// What a gate says of runs whose truth is known: made-up times with the noise of real ones.
@Suite struct LimitTestTests {
  private static let rule = LimitTest(maxRegression: 0.05, looks: 3, metrics: 3)

  /// How often of 300 gates each verdict comes, each with up to three looks at 32, 64, 128 runs.
  private static func verdicts(
    slower: Double, spread: Double, seed: UInt64
  ) -> [LimitTest.Outcome: Int] {
    var noise = StartupNoise(seed: seed)
    var counts: [LimitTest.Outcome: Int] = [:]
    for _ in 0..<300 {
      var old: [Double] = []
      var new: [Double] = []
      var verdict = LimitTest.Outcome.inconclusive
      for more in [32, 32, 64] where verdict == .inconclusive {
        old += noise.times(more, around: 10, spread: spread)
        new += noise.times(more, around: 10 * (1 + slower), spread: spread)
        verdict = rule.verdict(Sample(old), Sample(new))
      }
      counts[verdict, default: 0] += 1
    }
    return counts
  }

  @Test(arguments: [0.01, 0.05, 0.1, 0.3])
  func equalProgramsAreNotCalledSlower(spread: Double) {
    #expect(Self.verdicts(slower: 0, spread: spread, seed: 1)[.higher] == nil)
  }

  @Test func whatIsAtTheLimitIsRarelyCalledEither() {
    let counts = Self.verdicts(slower: 0.05, spread: 0.05, seed: 2)
    // Levels of 1% and 5%, and three standard deviations of 300 draws.
    #expect(counts[.higher, default: 0] <= 8)
    #expect(counts[.fine, default: 0] <= 26)
  }

  @Test func aTenthMoreIsFoundWhereNoiseIsLess() {
    #expect(Self.verdicts(slower: 0.1, spread: 0.03, seed: 3)[.higher, default: 0] >= 290)
    #expect(Self.verdicts(slower: 0.1, spread: 0.03, seed: 3)[.fine] == nil)
  }

  @Test func halfAsMuchAgainIsFoundInAnyNoise() {
    for spread in [0.05, 0.1, 0.3] {
      #expect(Self.verdicts(slower: 0.5, spread: spread, seed: 4)[.higher, default: 0] >= 290)
    }
  }

  @Test func muchNoiseIsCalledNoise() {
    let counts = Self.verdicts(slower: 0, spread: 0.5, seed: 5)
    #expect(counts[.inconclusive, default: 0] >= 150)
  }

  @Test func quietRunsPass() {
    #expect(Self.verdicts(slower: 0, spread: 0.03, seed: 6)[.fine, default: 0] >= 295)
  }

  @Test func equalCountsPassAndSlackIsLeft() {
    let old = Sample([Double](repeating: 100, count: 20))
    func verdict(_ value: Double) -> LimitTest.Outcome {
      Self.rule.verdict(old, Sample([Double](repeating: value, count: 20)), slack: 8)
    }
    #expect(verdict(100) == .fine)
    #expect(verdict(112) == .fine)
    #expect(verdict(113) == .inconclusive)
    #expect(verdict(114) == .higher)
    let none = Sample([Double](repeating: 0, count: 20))
    #expect(Self.rule.verdict(none, none, slack: 8) == .fine)
  }

  @Test func aSlowerMachineExplainsAndNeverExcuses() {
    let old = Sample((0..<20).map { 100 + Double($0) / 10 })
    func verdict(_ factor: Double, drift: ClosedRange<Double>) -> LimitTest.Outcome {
      Self.rule.verdict(old, Sample(old.sorted.map { $0 * factor }), drift: drift)
    }
    #expect(verdict(1.2, drift: 1...1) == .higher)
    // A machine slower by a fifth may be why; that it is cannot be shown.
    #expect(verdict(1.2, drift: 1.1...1.2) == .inconclusive)
    #expect(verdict(1.5, drift: 1.1...1.2) == .higher)
    // A faster machine makes nothing pass that might be slower.
    #expect(verdict(1, drift: 0.9...1.1) == .inconclusive)
    #expect(verdict(0.9, drift: 0.9...0.95) == .fine)
    #expect(verdict(0.9, drift: 0.8...1) == .inconclusive)
  }
}
