import FirstlightModel
import SystemSupport

/// Describes a patch for the user.
package struct PruneReport {
  private let plan: PrunePlan
  private let patch: PrunePatch
  private let verified: VerifiedPatch?
  private let refused: [(name: String, reason: String)]
  /// Runs of the command beside those of the whole patch.
  package var furtherRuns = 0

  /// - Parameters:
  ///   - verified: nil: nothing was built.
  ///   - refused: the functions that are no candidates, with reasons.
  package init(
    _ plan: PrunePlan, _ patch: PrunePatch, _ verified: VerifiedPatch?,
    refused: [(name: String, reason: String)] = []
  ) {
    self.refused = refused
    self.plan = plan
    self.patch = patch
    self.verified = verified
  }

  /// The removed, kept (with reasons) and restored candidates; the sums are the last line.
  ///
  /// - Parameter nothing: the last line if there are no candidates.
  package func lines(otherwise nothing: String) -> [String] {
    changed.map { "  \($0)" } + kept.map { "  keeps \($0.name): \($0.reason)" }
      + takenBack.map { "  took back \($0.name): \($0.reason)" }
      + [plan.candidates.isEmpty ? nothing : summary]
  }

  /// "removes 12 functions (240 lines in 5 files, 1 of them deleted), keeps 2".
  var summary: String {
    var text = sums
    guard let verified, verified.runs > 0 else { return text }
    if !takenBack.isEmpty { text += ", took back \(takenBack.count)" }
    return text + "; verified in \(CountText.text(verified.runs + furtherRuns, "run"))"
  }

  private var sums: String {
    let keptCount = kept.count
    guard !patch.removed.isEmpty else {
      return "nothing can be removed" + (keptCount == 0 ? "" : "; keeps \(keptCount)")
    }
    return plan.sums(of: patch) + (keptCount == 0 ? "" : ", keeps \(keptCount)")
  }

  private var changed: [String] {
    patch.removed.map(plan.text)
      + patch.emptied.map { "removes \($0), which has nothing else in it" }
      + patch.unused.map { "leaves \($0), which nothing uses then: compilers may warn" }
  }

  private var kept: [(name: String, reason: String)] {
    refused
      + functions(of: patch.kept.filter { verified?.takenBack[$0.key] == nil }).map {
        ($0.name, $0.value.text)
      }
  }

  private var takenBack: [(name: String, reason: String)] {
    functions(of: verified?.takenBack ?? [:]).map { ($0.name, $0.value) }
  }

  /// Without code of tests, which stays with what it tests.
  private func functions<Value>(of values: [Int: Value]) -> [(name: String, value: Value)] {
    values.sorted { $0.key < $1.key }.filter { !plan.candidates[$0.key].isTest }
      .map { (plan.candidates[$0.key].name, $0.value) }
  }
}
