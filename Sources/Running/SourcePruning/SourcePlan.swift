/// Changes a list's candidates in the source, all or some of them.
package protocol SourcePlan {
  var candidates: [PruneCandidate] { get }
  /// The folder that patches are applied in: an absolute path.
  var root: String { get }

  /// The path of a file from the root; nil if the file is elsewhere.
  func path(of file: String) -> String?

  /// The subject of a commit with the changes of these candidates.
  func subject(of changed: [Int]) -> String

  /// The reason for such a commit, one paragraph.
  func reason(for changed: [Int]) -> String

  /// What is done to functions: "removed".
  var verb: String { get }

  /// The change of a candidate, for the user: "removes f()".
  func text(of number: Int) -> String

  /// The reason for a candidate's change, beside its references and age; nil: these are the reason.
  func note(on number: Int) -> String?

  /// The sums of a patch that changes something: "removes 2 functions (9 lines in 1 file)".
  func sums(of patch: PrunePatch) -> String

  /// Changes these candidates, except those that must stay as they are and those that they need.
  func patch(of chosen: Set<Int>) -> PrunePatch
}
