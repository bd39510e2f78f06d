import Testing

@testable import FirstlightModel

/// What becomes of the tree of calls when some of them are not looked at.
@Suite struct CallOutcomeTests {
  /// 0 calls 1, 1 calls 2, 2 calls 3.
  private let returns: [CallOutcome] = [-1, 0, 1, 2].map {
    CallOutcome(parent: $0, duration: 1, ending: .returned, minorFaults: 0, majorFaults: 0)
  }

  @Test func allStay() {
    #expect(returns.keeping([true, true, true, true]) == returns)
  }

  @Test func theNearestAncestorTakesAParentsPlace() {
    #expect(returns.keeping([true, false, false, true]).map(\.parent) == [-1, 0])
  }

  @Test func withoutAncestorThereIsNoParent() {
    #expect(returns.keeping([false, false, true, true]).map(\.parent) == [-1, 0])
  }

  @Test func callsWithoutReturnsStayWithout() {
    #expect([CallOutcome]().keeping([false, true]).isEmpty)
  }
}
