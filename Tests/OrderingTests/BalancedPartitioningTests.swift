import TestSupport
import Testing

@testable import Ordering

@Suite struct BalancedPartitioningTests {
  @Test func everyCalledFunctionIsListedOnce() {
    let problem = Self.twoKindsOfRuns(functions: 300)
    let order = BalancedPartitioning.order(problem)
    #expect(order.sorted() == Set(problem.traces.joined()).sorted())
    #expect(Set(order).count == order.count)
  }

  @Test func theSameProblemHasTheSameOrder() {
    let problem = Self.twoKindsOfRuns(functions: 2000)
    let order = BalancedPartitioning.order(problem)
    for _ in 0..<3 { #expect(BalancedPartitioning.order(problem) == order) }
  }

  /// Two kinds of runs call the odd and the even functions: at best each needs half of the pages.
  @Test func runsThatDifferGetPagesOfTheirOwn() {
    let problem = Self.twoKindsOfRuns(functions: 1024)
    let touch = PageTouch(of: BalancedPartitioning.order(problem), for: problem)
    let firstCall = PageTouch(of: problem.firstCallOrder(), for: problem)
    #expect(firstCall.pages == 160)
    #expect(touch.pages < 120)
    #expect(touch.area * 4 < firstCall.area * 3)
  }

  /// Six functions, three to a page: all 720 orders tried.
  @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6, 7, 8])
  func tinyProblemsComeNearTheBestOrder(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let traces = (0..<5).map { _ in
      let all: [Int32] = [0, 1, 2, 3, 4, 5]
      return Array(all.shuffled(using: &random).prefix(Int.random(in: 2...5, using: &random)))
    }
    let problem = OrderingProblem(
      sizes: Array(repeating: 1360, count: 6), traces: traces, pageSize: 4096)
    var best = UInt64.max
    permute([0, 1, 2, 3, 4, 5]) { best = min(best, PageTouch(of: $0, for: problem).area) }
    let area = PageTouch(of: BalancedPartitioning.order(problem), for: problem).area
    #expect(area <= best + best / 4)
  }

  @Test func functionsLargerThanAPageAreNoTrouble() {
    let problem = OrderingProblem(
      sizes: [100_000, 16, 50_000, 16, 1], traces: [[0, 1, 2], [3, 2, 0, 4], [4]], pageSize: 4096)
    #expect(BalancedPartitioning.order(problem).sorted() == [0, 1, 2, 3, 4])
  }

  @Test func withoutTracesThereIsNoOrder() {
    #expect(BalancedPartitioning.order(OrderingProblem(sizes: [1, 2], traces: [])) == [])
    #expect(BalancedPartitioning.order(OrderingProblem(sizes: [1], traces: [[0]])) == [0])
  }

  private static func twoKindsOfRuns(functions: Int32) -> OrderingProblem {
    OrderingProblem(
      sizes: Array(repeating: 64, count: Int(functions)),
      traces: (0..<10).map { run in (0..<functions).filter { $0 % 2 == run % 2 } },
      pageSize: 4096)
  }

  private func permute(_ rest: [Int32], _ taken: [Int32] = [], _ body: ([Int32]) -> Void) {
    if rest.isEmpty { body(taken) }
    for (place, next) in rest.enumerated() {
      var others = rest
      others.remove(at: place)
      permute(others, taken + [next], body)
    }
  }
}
