import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// A patch after which a project builds and passes its tests.
package struct VerifiedPatch {
  package let patch: PrunePatch
  /// Candidates that must stay as they are, with the line that explains the failure.
  package let takenBack: [Int: String]
  /// Number of runs of the command.
  package let runs: Int

  /// Tests a plan's patch, and takes back the candidates that break it.
  ///
  /// - Parameter chosen: the candidates to change.
  /// - Throws: errors of the tree; `Failure` of kind `data` if the command fails without changes.
  package init(
    _ plan: PrunePlan, of chosen: Set<Int>, in tree: VerificationTree
  ) throws {
    let all = plan.patch(of: chosen)
    guard !all.removed.isEmpty else {
      (patch, takenBack, runs) = (all, [:], 0)
      return
    }
    var steps = PruneVerification(plan.candidates, removing: Set(all.removed)) { removed in
      let patch = plan.patch(of: removed)
      return try tree.run(patch, CountText.text(patch.removed.count, "function"))
    }
    let result = try steps.run()
    var patch = plan.patch(of: result.removed)
    // Candidates that stay for another reason than the command are reported, too.
    patch.kept.merge(all.kept) { known, _ in known }
    self.patch = patch
    (takenBack, runs) = (result.takenBack, result.runs)
  }
}

/// A series of patches. With each, and the earlier ones that it needs, the project builds and passes
/// its tests.
package struct VerifiedSeries {
  package let series: PatchSeries
  /// Number of runs of the command.
  package private(set) var runs = 0
  /// The reasons why parts were joined.
  package private(set) var joined: [String] = []

  /// Tests each part, and joins those that fail.
  ///
  /// - Parameters:
  ///   - parts: of changes that pass together.
  ///   - tree: where they passed.
  package init(
    _ plan: PrunePlan, _ parts: OwnerParts, in tree: VerificationTree
  ) throws {
    var parts = parts
    let all = parts.parts.reduce(into: Set<Int>()) { $0.formUnion($1.candidates) }
    var passed: Set<Set<Int>> = [all]
    while true {
      let series = PatchSeries(plan, parts.parts)
      var failed: Set<Int> = []
      for (number, entry) in series.entries.enumerated() {
        let state = entry.needs.reduce(into: entry.part.candidates) {
          $0.formUnion(series.entries[$1].part.candidates)
        }
        guard passed.insert(state).inserted else { continue }
        runs += 1
        let what =
          "those of patch \(number + 1) of \(series.entries.count), "
          + CountText.text(state.count, "function")
        if case .failed(_, let reason) = try tree.run(plan.patch(of: state), what) {
          passed.remove(state)
          failed.insert(number)
          joined.append(reason)
        }
      }
      if failed.isEmpty {
        self.series = series
        return
      }
      parts.join(failed.count > 1 ? failed : Set(parts.parts.indices))
    }
  }
}
