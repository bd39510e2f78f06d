import FleetModel
import TestSupport
import Testing

/// Against the standard library's sets.
@Suite struct GuardSetTests {
  @Test(arguments: 0..<40 as Range<UInt64>)
  func setsAreSets(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    // Dense, sparse, and at the end of what there can be.
    let end = [64, 300, 40_000, 1 << 26].randomElement(using: &random)!
    let some = [0, 1, 50, 500].randomElement(using: &random)!
    func guards() -> Set<UInt32> {
      Set((0..<some).map { _ in .random(in: 0..<UInt32(end), using: &random) })
    }
    let (first, second) = (guards(), guards())
    let (a, b) = (GuardSet(first.shuffled()), GuardSet(second.sorted()))
    #expect(Array(a) == first.sorted())
    #expect(try GuardSet(decoding: a.encoded()) == a)
    #expect(a.count == first.count && a.isEmpty == first.isEmpty)
    #expect(Set(a.subtracting(b)) == first.subtracting(second))
    #expect(Set(a.intersection(b)) == first.intersection(second))
    #expect(Set(b.intersection(a)) == first.intersection(second))
    #expect(Set(a.below(end / 3)) == first.filter { $0 < end / 3 })
    #expect(first.union(second).allSatisfy { a.contains($0) == first.contains($0) })
    var union = a
    union.formUnion(b)
    #expect(Set(union) == first.union(second))
    #expect(union == GuardSet(first.union(second)))
    var words = [UInt64](repeating: 0, count: end / 64 + 1)
    for index in first { words[Int(index / 64)] |= 1 << UInt64(index % 64) }
    #expect(GuardSet(words: words) == a)
  }

  @Test func sumsAreKeptOfTheCalledAndReadOfAll() {
    let sum = GuardSum(runs: 3, hosts: 1, firstSeen: 5, lastSeen: 9)
    let sums = GuardSums(
      guardCount: 1 << 26, [7: sum, 67_108_863: sum, 1 << 26: sum, 9: GuardSum()])
    #expect(sums.count == 1 << 26)
    #expect(sums.calledCount == 2)
    #expect(sums.called.map(\.0) == [7, 67_108_863])
    #expect(sums[7] == sum && sums[8] == GuardSum() && sums[67_108_863] == sum)
    #expect(Array(sums[6...8]) == [GuardSum(), sum, GuardSum()])
  }

  @Test func sumsOfStrangersStopAtTheLastNumber() {
    var sum = GuardSum(runs: .max, hosts: .max, firstSeen: 1, lastSeen: 1)
    sum.add(GuardSum(runs: 1, hosts: 1, firstSeen: 1, lastSeen: 1))
    #expect(sum.runs == .max && sum.hosts == .max)
    var totals = SeriesTotals()
    totals.drops = .max
    #expect((totals + totals).drops == .max)
    var starts = StartupHistogram(counts: [1: .max, 2: .max, .max: 1])
    starts.add(starts)
    #expect(starts.total == .max)
    #expect(starts.percentile(1) != nil)
  }
}
