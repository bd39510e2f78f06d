import ReferenceIndex
import Testing

@testable import NeverCalled

/// What falls with what.
@Suite struct ClusterTests {
  private func cluster(_ functions: Int) -> ReferenceReason.Cluster {
    .init(functions: functions, bytes: UInt64(functions) * 10)
  }

  @Test func chainsFallWithTheirRoot() {
    var source = Source()
    let (a, b, c) = (source.function("a"), source.function("b"), source.function("c"))
    source.refer(to: b, from: a)
    source.refer(to: c, from: b)
    #expect(source.reason("a") == .unreferenced(cluster(3)))
    #expect(source.reason("b") == .fallsWith(root: source.number("a"), others: 0, cluster(3)))
    #expect(source.reason("c") == .fallsWith(root: source.number("a"), others: 0, cluster(3)))
  }

  @Test func bothWaysOfADiamondFallWithTheirRoot() {
    var source = Source()
    let (a, b) = (source.function("a"), source.function("b"))
    let (c, d) = (source.function("c"), source.function("d"))
    for (caller, called) in [(a, b), (a, c), (b, d), (c, d)] {
      source.refer(to: called, from: caller)
    }
    #expect(source.reason("a") == .unreferenced(cluster(4)))
    #expect(source.reason("d") == .fallsWith(root: source.number("a"), others: 0, cluster(4)))
  }

  @Test func whatTwoRootsUseFallsWithNeitherAlone() {
    var source = Source()
    let (a, b) = (source.function("a"), source.function("b"))
    let (shared, below) = (source.function("shared"), source.function("below"))
    source.refer(to: shared, from: a)
    source.refer(to: shared, from: b)
    source.refer(to: below, from: shared)
    #expect(source.reason("a") == .unreferenced(cluster(1)))
    let root = source.number("shared")
    #expect(source.reason("shared") == .fallsWith(root: root, others: 2, cluster(2)))
    #expect(source.reason("below") == .fallsWith(root: root, others: 0, cluster(2)))
  }

  @Test func circlesFallTogether() {
    var source = Source()
    let (a, b) = (source.function("a", bytes: 20), source.function("b", bytes: 10))
    source.refer(to: a, from: b)
    source.refer(to: b, from: a)
    let both = ReferenceReason.Cluster(functions: 2, bytes: 30)
    #expect(
      source.reason("a") == .fallsWith(root: source.number("a"), others: 0, both))
    #expect(
      source.reason("b") == .fallsWith(root: source.number("a"), others: 0, both))
  }

  @Test func nothingFallsWithWhatIsKept() {
    var source = Source()
    let (a, b, c) = (source.function("a"), source.function("b"), source.function("c"))
    source.refer(to: a, from: nil)
    source.refer(to: b, from: a)
    source.refer(to: c, from: b)
    // Another that can be removed refers to it, too.
    source.refer(to: c, from: source.function("d"))
    #expect(source.reason("b") == .onlyNeverCalled(by: source.number("a"), test: nil))
    #expect(source.reason("c") == .onlyNeverCalled(by: source.number("b"), test: nil))
    #expect(source.reason("d") == .unreferenced(cluster(1)))
    #expect(source.reason("c")?.isDeletable == false)
  }

  @Test func longChainsNeedNoStack() {
    let count = 100_000
    let clusters = ReferenceClusters(
      candidates: Array(repeating: true, count: count),
      referrers: (0..<count).map { $0 == 0 ? [] : [$0 - 1] },
      bytes: Array(repeating: 1, count: count))
    #expect(clusters.root(of: count - 1) == 0)
    #expect(clusters.cluster(of: 0) == .init(functions: count, bytes: UInt64(count)))
  }
}
