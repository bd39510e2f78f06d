import FleetModel
import TestSupport
import Testing

/// Which traces a store keeps, told from all of them at once or as they come.
@Suite struct TraceSampleRuleTests {
  private typealias Families = [UInt64: Int]

  private static func last(_ families: Families, size: Int) -> UInt64? {
    TraceSampleRule.last(
      of: families.sorted { $0.key < $1.key }.map { (family: $0.key, traces: $0.value) }, size: size
    )
  }

  /// The sample as its description says: whole families in rising order, up to the first that does not fit.
  private static func sample(_ families: Families, size: Int) -> Families {
    var kept: Families = [:]
    var count = 0
    for (family, traces) in families.sorted(by: { $0.key < $1.key }) {
      count += traces
      if count > size, !kept.isEmpty { break }
      kept[family] = traces
    }
    return kept
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func theSampleDoesNotDependOnTheOrderOfArrival(seed: UInt64) {
    var generator = SplitMix64(state: seed)
    var families: Families = [:]
    for _ in 0..<40 {
      families[UInt64.random(in: 0..<1000, using: &generator)] = .random(
        in: 1...7, using: &generator)
    }
    var left = families.flatMap { Array(repeating: $0.key, count: $0.value) }
    left.sort()
    left.shuffle(using: &generator)
    // A store that takes some at a time, and forgets what it has no room for.
    var kept: Families = [:]
    var limit = UInt64.max
    while !left.isEmpty {
      let batch = left.prefix(Int.random(in: 1...5, using: &generator))
      for family in batch where family <= limit { kept[family, default: 0] += 1 }
      left.removeFirst(batch.count)
      if let last = Self.last(kept, size: 20) { limit = min(limit, last) }
      kept = kept.filter { $0.key <= limit }
    }
    #expect(kept == Self.sample(families, size: 20))
  }

  @Test func aFamilyThatComesLateIsWantedIfItFits() {
    // 5 leaves no room for itself, but does for 3.
    #expect(Self.last([1: 50, 5: 60], size: 100) == 4)
    #expect(Self.last([1: 50, 3: 10], size: 100) == nil)
    #expect(Self.last([1: 50, 3: 50], size: 100) == 3)
    #expect(Self.last([1: 50, 3: 50, 5: 1], size: 100) == 3)
    #expect(Self.last([7: 150], size: 100) == 7)
    #expect(Self.last([7: 150, 9: 1], size: 100) == 7)
    #expect(Self.last([:], size: 100) == nil)
  }
}
