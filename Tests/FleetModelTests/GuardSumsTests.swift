import FleetModel
import TestSupport
import Testing

/// Against a dictionary.
@Suite struct GuardSumsTests {
  private typealias Dictionary = [UInt32: GuardSum]

  private static func add(_ sums: GuardSums, to all: inout Dictionary) {
    for (guardIndex, sum) in sums.called {
      guard let known = all[guardIndex] else {
        all[guardIndex] = sum
        continue
      }
      all[guardIndex] = GuardSum(
        runs: known.runs + sum.runs, hosts: known.hosts + sum.hosts,
        firstSeen: min(known.firstSeen, sum.firstSeen), lastSeen: max(known.lastSeen, sum.lastSeen))
    }
  }

  @Test(arguments: 0..<25 as Range<UInt64>, [1, 20, 300, 1 << 26])
  func sumsAddUp(seed: UInt64, guardCount: Int) {
    var random = SplitMix64(state: seed)
    // Hosts that call the same, and others.
    let some = (0..<3).map { _ in StateFixture.sums(&random, guardCount: guardCount) }
    var (expected, one) = (Dictionary(), GuardSums(guardCount: guardCount))
    var tally = GuardSumsTally(guardCount: guardCount)
    for _ in 0..<Int.random(in: 0...20, using: &random) {
      let sums =
        Bool.random(using: &random)
        ? some.randomElement(using: &random)!
        : StateFixture.sums(&random, guardCount: guardCount)
      Self.add(sums, to: &expected)
      one.add(sums)
      tally.add(sums)
      // Asking changes nothing.
      #expect(tally.total == GuardSums(guardCount: guardCount, expected))
    }
    #expect(one == GuardSums(guardCount: guardCount, expected))
    #expect(tally.total == one)
  }

  @Test func sumsOfStrangersStopAtTheLastNumber() {
    var sums = GuardSums(guardCount: 9, [3: GuardSum(runs: .max, hosts: .max)])
    sums.add(sums)
    #expect(sums[3].runs == .max && sums[3].hosts == .max)
  }
}
