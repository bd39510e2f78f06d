import DeclarationRemoval
import FirstlightModel
import Testing
import TextFormatting

@testable import SourcePruning

/// Which candidates go into one patch, and in which order patches apply.
@Suite struct OwnerPartsTests {
  /// Each candidate is a line of its file, and of a header if it has a declaration there.
  private struct Lines: SourcePlan {
    var candidates: [PruneCandidate]
    var root: String { "/p" }
    var verb: String { "removed" }

    func path(of file: String) -> String? { String(file.dropFirst(3)) }
    func subject(of changed: [Int]) -> String { "Remove \(changed.count)" }
    func reason(for changed: [Int]) -> String { "" }
    func text(of number: Int) -> String { "" }
    func note(on number: Int) -> String? { nil }
    func sums(of patch: PrunePatch) -> String { "" }

    func patch(of chosen: Set<Int>) -> PrunePatch {
      var patch = PrunePatch()
      var lines: [String: Set<Int>] = [:]
      for number in chosen {
        let candidate = candidates[number]
        for place in [candidate.definition] + candidate.declarations {
          lines[place.file, default: []].insert(place.target.line)
        }
      }
      for (file, numbers) in lines.sorted(by: { $0.key < $1.key }) {
        let source = Array((1...9).map { "\($0)\n" }.joined().utf8)
        patch.changes.append(
          FileChange(
            path: path(of: file) ?? "", source: source,
            removed: numbers.sorted().map { ($0 - 1) * 2..<$0 * 2 }))
      }
      patch.removed = chosen.sorted()
      return patch
    }
  }

  private static func candidate(
    _ file: String, _ line: Int, uses: [Int] = [], header: String? = nil
  ) -> PruneCandidate {
    let target = DeclarationTarget(name: "f\(line)", line: line)
    return PruneCandidate(
      name: "f\(line)", definition: .init(file: "/p/\(file)", target: target),
      declarations: header.map { [.init(file: "/p/\($0)", target: target)] } ?? [], uses: uses)
  }

  /// `a/x.c` is owned by `a`.
  private func owners(_ path: String) -> [String] {
    let first = path.split(separator: "/").first.map(String.init) ?? ""
    return first == "none" ? [] : [first]
  }

  private func parts(_ candidates: [PruneCandidate], lines: Int? = nil) -> OwnerParts {
    let plan = Lines(candidates: candidates)
    return OwnerParts(
      plan, plan.patch(of: Set(candidates.indices)), owners: owners, maximumLines: lines)
  }

  @Test func eachOwnerHasAPartAndNobodysIsLast() {
    let parts = parts([
      Self.candidate("none/x.c", 1), Self.candidate("b/x.c", 1), Self.candidate("a/x.c", 1),
      Self.candidate("b/y.c", 1),
    ]).parts
    #expect(parts.map(\.owners) == [["a"], ["b"], []])
    #expect(parts.map(\.candidates) == [[2], [1, 3], [0]])
    #expect(parts.allSatisfy { !$0.isShared })
  }

  @Test func whatRefersToEachOtherGoesTogether() {
    let parts = parts([
      Self.candidate("a/x.c", 1, uses: [1]), Self.candidate("b/x.c", 1),
      Self.candidate("a/x.c", 3), Self.candidate("a/y.c", 1, header: "b/y.h"),
    ]).parts
    #expect(parts.map(\.owners) == [["a"], ["a", "b"]])
    #expect(parts.map(\.candidates) == [[2], [0, 1, 3]])
    #expect(parts[1].isShared)
  }

  @Test func longPartsAreDividedButUnitsStayWhole() {
    let parts = parts(
      [
        Self.candidate("a/x.c", 1), Self.candidate("a/x.c", 3), Self.candidate("a/x.c", 5),
        Self.candidate("a/y.c", 1, uses: [4, 5]), Self.candidate("a/y.c", 3),
        Self.candidate("a/y.c", 5),
      ], lines: 2
    ).parts
    #expect(parts.map(\.candidates) == [[0, 1], [2], [3, 4, 5]])
  }

  @Test func patchesNeedEarlierOnesOfTheSameFile() {
    let candidates = [
      Self.candidate("a/x.c", 1), Self.candidate("a/x.c", 2), Self.candidate("a/y.c", 4),
      Self.candidate("b/x.c", 1),
    ]
    let plan = Lines(candidates: candidates)
    let series = PatchSeries(plan, parts(candidates, lines: 1).parts)
    #expect(series.entries.map(\.changed) == [[0], [1], [2], [3]])
    #expect(series.entries.map(\.needs) == [[], [0], [], []])
    // Each begins where the one before ended.
    #expect(series.entries[1].changes[0].source == Array("2\n3\n4\n5\n6\n7\n8\n9\n".utf8))
    #expect(series.entries[1].changes[0].result == Array("3\n4\n5\n6\n7\n8\n9\n".utf8))
  }

  @Test func joinedPartsHaveAllOwners() {
    var parts = parts([
      Self.candidate("a/x.c", 1), Self.candidate("b/x.c", 1), Self.candidate("c/x.c", 1),
    ])
    parts.join([0, 2])
    #expect(parts.parts.map(\.owners) == [["a", "c"], ["b"]])
    #expect(parts.parts[0].isShared && parts.parts[0].candidates == [0, 2])
  }
}
