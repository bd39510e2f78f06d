import FirstlightModel
import TestSupport
import Testing

@testable import NeverCalled
@testable import Pruning

/// Which candidates go into one patch, and in which order patches apply.
@Suite struct OwnerPartsTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    let lines = (1...9).map { "func f\($0)() {}\n" }.joined()
    for folder in ["a", "b", "c", "none"] {
      for file in ["x", "y"] { try directory.write(lines, to: "\(folder)/\(file).swift") }
    }
  }

  /// Each candidate is a line of its file, and of another if it has a declaration there.
  private func candidate(
    _ file: String, _ line: Int, uses: [Int] = [], header: String? = nil
  ) -> PruneCandidate {
    let target = DeclarationTarget(name: "f\(line)()", line: line)
    return PruneCandidate(
      name: "f\(line)", definition: .init(file: directory.path("\(file).swift"), target: target),
      declarations: header.map { [.init(file: directory.path("\($0).swift"), target: target)] }
        ?? [],
      uses: uses)
  }

  private func plan(_ candidates: [PruneCandidate]) -> PrunePlan {
    PrunePlan(candidates, sources: PruneSources(root: directory.url.path), index: nil)
  }

  /// `a/x.swift` is owned by `a`.
  private func owners(_ path: String) -> [String] {
    let first = path.split(separator: "/").first.map(String.init) ?? ""
    return first == "none" ? [] : [first]
  }

  private func parts(_ candidates: [PruneCandidate], lines: Int? = nil) -> OwnerParts {
    let plan = plan(candidates)
    return OwnerParts(
      plan, plan.patch(of: Set(candidates.indices)), owners: owners, maximumLines: lines)
  }

  @Test func eachOwnerHasAPartAndNobodysIsLast() {
    let parts = parts([
      candidate("none/x", 1), candidate("b/x", 1), candidate("a/x", 1),
      candidate("b/y", 1),
    ]).parts
    #expect(parts.map(\.owners) == [["a"], ["b"], []])
    #expect(parts.map(\.candidates) == [[2], [1, 3], [0]])
    #expect(parts.allSatisfy { !$0.isShared })
  }

  @Test func whatRefersToEachOtherGoesTogether() {
    let parts = parts([
      candidate("a/x", 1, uses: [1]), candidate("b/x", 1),
      candidate("a/x", 3), candidate("a/y", 1, header: "b/y"),
    ]).parts
    #expect(parts.map(\.owners) == [["a"], ["a", "b"]])
    #expect(parts.map(\.candidates) == [[2], [0, 1, 3]])
    #expect(parts[1].isShared)
  }

  @Test func longPartsAreDividedButUnitsStayWhole() {
    let parts = parts(
      [
        candidate("a/x", 1), candidate("a/x", 3), candidate("a/x", 5),
        candidate("a/y", 1, uses: [4, 5]), candidate("a/y", 3),
        candidate("a/y", 5),
      ], lines: 2
    ).parts
    #expect(parts.map(\.candidates) == [[0, 1], [2], [3, 4, 5]])
  }

  @Test func patchesNeedEarlierOnesOfTheSameFile() {
    let candidates = [
      candidate("a/x", 1), candidate("a/x", 2), candidate("a/y", 4),
      candidate("b/x", 1),
    ]
    let plan = plan(candidates)
    let series = PatchSeries(plan, parts(candidates, lines: 1).parts)
    #expect(series.entries.map(\.changed) == [[0], [1], [2], [3]])
    #expect(series.entries.map(\.needs) == [[], [0], [], []])
    // Each begins where the one before ended.
    let change = series.entries[1].changes[0]
    #expect(String(decoding: change.source, as: UTF8.self).hasPrefix("func f2() {}\nfunc f3"))
    #expect(String(decoding: change.result ?? [], as: UTF8.self).hasPrefix("func f3() {}\n"))
  }

  @Test func joinedPartsHaveAllOwners() {
    var parts = parts([
      candidate("a/x", 1), candidate("b/x", 1), candidate("c/x", 1),
    ])
    parts.join([0, 2])
    #expect(parts.parts.map(\.owners) == [["a", "c"], ["b"]])
    #expect(parts.parts[0].isShared && parts.parts[0].candidates == [0, 2])
  }
}
