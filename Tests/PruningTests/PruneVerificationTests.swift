import FirstlightModel
import Testing

@testable import NeverCalled
@testable import Pruning

/// What is taken back, in how many runs.
@Suite struct PruneVerificationTests {
  private static func candidate(_ name: String, uses: [Int] = []) -> PruneCandidate {
    PruneCandidate(
      name: name,
      definition: .init(file: "/p/a.swift", target: DeclarationTarget(name: name, line: 1)),
      uses: uses)
  }

  private static let twenty = (0..<20).map { candidate("f\($0)()") }

  /// Fails if one of these is removed; the lines name those that a compiler would.
  private func verify(
    _ candidates: [PruneCandidate], needed: Set<Int>, isNamed: Bool
  ) throws -> PruneVerification.Result {
    var verification = PruneVerification(candidates, removing: Set(candidates.indices)) { removed in
      // What needs something that is gone cannot be built.
      for (number, candidate) in candidates.enumerated() where !removed.contains(number) {
        #expect(removed.isDisjoint(with: candidate.uses) || !isNamed)
      }
      let missing = needed.intersection(removed).sorted()
      guard !missing.isEmpty else { return .passed }
      let lines = missing.map {
        "/p/b.swift:3:1: error: cannot find '\(candidates[$0].name.dropLast(2))' in scope"
      }
      return .failed(lines: isNamed ? lines : ["1 test failed"], reason: "no")
    }
    return try verification.run()
  }

  @Test func whatPassesIsTriedOnce() throws {
    let result = try verify(Self.twenty, needed: [], isNamed: true)
    #expect(result.removed == Set(0..<20))
    #expect(result.runs == 1)
  }

  @Test func whatErrorsNameIsTakenBackAtOnce() throws {
    let result = try verify(Self.twenty, needed: [3, 7, 19], isNamed: true)
    #expect(result.removed == Set(0..<20).subtracting([3, 7, 19]))
    #expect(result.takenBack[3] == "/p/b.swift:3:1: error: cannot find 'f3' in scope")
    #expect(result.runs == 2)
  }

  @Test(arguments: 0..<20)
  func whatNoErrorNamesIsFoundByHalves(needed: Int) throws {
    let result = try verify(Self.twenty, needed: [needed], isNamed: false)
    #expect(result.removed == Set(0..<20).subtracting([needed]))
    #expect(result.takenBack == [needed: "no"])
    // One that fails, one with nothing removed, at most five halves, one that passes.
    #expect(result.runs <= 8)
  }

  @Test func severalAreFoundByHalves() throws {
    let result = try verify(Self.twenty, needed: [2, 3, 11], isNamed: false)
    #expect(result.removed == Set(0..<20).subtracting([2, 3, 11]))
  }

  @Test(arguments: [true, false])
  func whatATakenBackOneNeedsIsTakenBackToo(isNamed: Bool) throws {
    let candidates = [
      Self.candidate("a()", uses: [1]), Self.candidate("b()", uses: [2]), Self.candidate("c()"),
      Self.candidate("d()"),
    ]
    let result = try verify(candidates, needed: [1], isNamed: isNamed)
    #expect(result.removed == [0, 3])
    #expect(result.takenBack[2] == "b() refers to it")
  }

  @Test func circlesAreTakenBackWhole() throws {
    let candidates = [
      Self.candidate("a()", uses: [1]), Self.candidate("b()", uses: [0]), Self.candidate("c()"),
    ]
    let result = try verify(candidates, needed: [1], isNamed: false)
    #expect(result.removed == [2])
  }

  @Test func failureWithNothingRemovedIsReported() throws {
    var verification = PruneVerification(Self.twenty, removing: [1, 2]) { _ in
      .failed(lines: ["broken"], reason: "broken")
    }
    let failure = #expect(throws: Failure.self) { _ = try verification.run() }
    #expect(failure?.kind == .data)
    #expect(failure?.problem.contains("nothing removed: broken") == true)
  }

  @Test func whatAnAttemptThrowsEndsIt() {
    var verification = PruneVerification(Self.twenty, removing: [1, 2]) { _ in
      throw Failure(.system, "no")
    }
    #expect(throws: Failure.self) { _ = try verification.run() }
  }
}
