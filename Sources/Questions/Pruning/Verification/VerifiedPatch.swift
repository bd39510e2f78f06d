import FirstlightModel
import Glibc
import ProcessControl
import SystemSupport

/// A patch after which a project builds and passes its tests.
package struct VerifiedPatch {
  package let patch: PrunePatch
  /// Candidates that must stay as they are, with the line that explains the failure.
  let takenBack: [Int: String]
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
