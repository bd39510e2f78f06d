import FirstlightModel
import NeverCalled

/// Says which candidates for deletion a patch would keep, by the text of their declarations, and which lines it would
/// remove with the others.
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

  package func answer(
    on candidates: [DeletionCandidate], in folder: String
  ) -> DeletionAnswer {
    let plan = PrunePlan(
      candidates.map { candidate in
        PruneCandidate(
          name: candidate.name, definition: candidate.definition,
          declarations: candidate.declarations, uses: candidate.uses)
      }, sources: sources(in: folder), index: nil)
    let patch = plan.patch(of: Set(candidates.indices))
    let refusals = patch.kept.compactMapValues { keeping -> DeletionRefusal? in
      // What other candidates refer to follows from their references.
      guard case .refused(let refusal) = keeping else { return nil }
      return refusal
    }
    return DeletionAnswer(refusals: refusals, lines: patch.lines)
  }
}
