import FirstlightModel
import NeverCalled

/// Decides which candidates for deletion stay, by the text of their declarations: those that a patch would keep.
package final class DeclarationCheck {
  private var known: PruneSources?

  package init() {}

  /// The sources of a project, read once for the check and for patches.
  ///
  /// - Parameter folder: the folder that patches are applied in.
  package func sources(in folder: String) -> PruneSources {
    if let known, known.root == folder { return known }
    let sources = PruneSources(root: folder)
    known = sources
    return sources
  }

  /// - Returns: by index of a candidate, why it stays.
  package func refusals(
    of candidates: [DeletionCandidate], in folder: String
  ) -> [Int: DeletionRefusal] {
    let plan = PrunePlan(
      candidates.map { candidate in
        PruneCandidate(
          name: candidate.name, definition: candidate.definition,
          declarations: candidate.declarations, uses: candidate.uses)
      }, sources: sources(in: folder), index: nil)
    return plan.patch(of: Set(candidates.indices)).kept.compactMapValues { keeping in
      // What other candidates refer to follows from their references.
      guard case .refused(let refusal) = keeping else { return nil }
      return refusal
    }
  }
}
