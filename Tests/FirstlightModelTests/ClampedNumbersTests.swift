import FirstlightModel
import Testing

@Suite struct ClampedNumbersTests {
  @Test func sumsEndAtTheLimitsOfTheirType() {
    #expect(Int.max.addingClamped(1) == .max && Int.min.addingClamped(-1) == .min)
    #expect(UInt64.max.addingClamped(2) == .max && UInt8(250).addingClamped(5) == 255)
    #expect(3.addingClamped(-5) == -2)
  }

  @Test(
    arguments: [
      (1.9, 1), (-1.9, -1), (1e300, .max), (-1e300, .min), (.infinity, .max), (.nan, 0),
      (9_223_372_036_854_775_807, .max), (-0.5, 0),
    ] as [(Double, Int)])
  func aNumberBeyondATypeBecomesItsLimit(number: Double, expected: Int) {
    #expect(Int(clamping: number) == expected)
  }

  @Test func unsignedNumbersBeginAtZero() {
    #expect(UInt64(clamping: -3.0) == 0 && UInt64(clamping: 2e19) == .max)
    #expect(UInt64(clamping: 1.5) == 1)
  }

  /// Sums of a fleet, which may be forged.
  @Test func runsAreAddedWithoutOverflow() throws {
    var sums = UnlistedRuns(
      runs: .max, processes: .max, seconds: .infinity, losses: Losses(drops: .max))
    sums.windows = .max
    sums.add(
      start: .nan, end: -.infinity, host: "h", ending: .exited(1), problems: [], isWindow: true)
    #expect(sums.runs == .max && sums.windows == .max && sums.span == nil)
    var profile = Profile()
    profile.unlisted = sums
    try profile.mergeSums(of: profile)
    #expect(profile.unlisted.runs == .max && profile.unlisted.processes == .max)
    #expect(profile.losses.drops == .max)
  }
}
