import DeadCode
import DeclarationRemoval
import FirstlightModel
import Testing

@testable import SourcePruning

/// What `prune --marked` removes.
@Suite struct RemovableTests {
  private static func candidate(uses: [Int] = []) -> PruneCandidate {
    PruneCandidate(
      name: "f()",
      definition: .init(file: "/p/a.swift", target: DeclarationTarget(name: "f()", line: 1)),
      uses: uses)
  }

  private let long = RetirementAge(days: 84, runs: 100)
  private let short = RetirementAge(days: 83, runs: 100)

  @Test func longMarkedFunctionsGoWithWhatOnlyTheyUse() {
    let candidates = [
      Self.candidate(uses: [1, 2]), Self.candidate(uses: [3]), Self.candidate(),
      Self.candidate(), Self.candidate(uses: [2]), Self.candidate(),
    ]
    let chosen = candidates.removable(marked: [0: long], by: RetirementRules()) { _ in false }
    // 2 has another user, and 5 none.
    #expect(chosen == [0, 1, 3])
  }

  @Test func functionsWithYoungMarksAndPublicOnesWait() {
    let candidates = [Self.candidate(uses: [1, 2]), Self.candidate(), Self.candidate()]
    let chosen = candidates.removable(marked: [0: long, 1: short], by: RetirementRules()) {
      $0 == 2
    }
    #expect(chosen == [0])
    let few = RetirementAge(days: 100, runs: 99)
    #expect(candidates.removable(marked: [0: few], by: RetirementRules()) { _ in false } == [])
  }
}
