import FirstlightModel
import Testing

/// What becomes of the tree of calls when some of them are not looked at.
@Suite struct CallOutcomeTests {
  /// 0 calls 1, 1 calls 2, 2 calls 3; 4 stands alone.
  private var process: RecordedProcess {
    var process = Example.profile(run: "a", calls: [0, 1, 2, 3]).processes[0]
    process.returns = [-1, 0, 1, 2].map(Self.call)
    return process
  }

  @Test func allStay() {
    #expect(process.keepingCalls { _ in true }.returns == process.returns)
  }

  @Test func theNearestAncestorTakesAParentsPlace() {
    let kept = process.keepingCalls { [0, 3].contains($0.guardIndex) }
    #expect(kept.calls.map(\.guardIndex) == [0, 3])
    #expect(kept.returns.map(\.parent) == [-1, 0])
  }

  @Test func withoutAncestorThereIsNoParent() {
    let kept = process.keepingCalls { $0.guardIndex >= 2 }
    #expect(kept.returns.map(\.parent) == [-1, 0])
  }

  @Test func callsWithoutReturnsStayWithout() {
    let kept = Example.profile(run: "a", calls: [0, 1]).processes[0].keepingCalls {
      $0.guardIndex == 1
    }
    #expect(kept.calls.count == 1 && kept.returns.isEmpty)
  }

  private static func call(parent: Int32) -> CallOutcome {
    CallOutcome(parent: parent, duration: 1, ending: .returned, minorFaults: 0, majorFaults: 0)
  }
}
