import TextFormatting

/// Describes a patch for the user.
package struct PruneReport {
  private let plan: PrunePlan
  private let patch: PrunePatch
  private let verified: VerifiedPatch?

  package init(_ plan: PrunePlan, _ patch: PrunePatch) {
    self.plan = plan
    self.patch = patch
    verified = nil
  }

  package init(_ plan: PrunePlan, _ verified: VerifiedPatch) {
    self.plan = plan
    patch = verified.patch
    self.verified = verified
  }

  /// Whether there were no candidates.
  package var isEmpty: Bool { plan.candidates.isEmpty }

  /// The removed, kept (with reasons) and restored candidates; the sums are the last line.
  package var lines: [String] {
    removed.map { "  removes \($0)" } + kept.map { "  keeps \($0.name): \($0.reason)" }
      + takenBack.map { "  took back \($0.name): \($0.reason)" } + [summary]
  }

  /// "removes 12 functions (240 lines in 5 files, 1 of them deleted), keeps 2".
  var summary: String {
    var text = sums
    guard let verified, verified.runs > 0 else { return text }
    if !takenBack.isEmpty { text += ", took back \(takenBack.count)" }
    return text + "; verified in \(CountText.text(verified.runs, "run"))"
  }

  private var sums: String {
    let keptCount = kept.count
    guard !patch.removed.isEmpty else {
      return "nothing can be removed" + (keptCount == 0 ? "" : "; keeps \(keptCount)")
    }
    let files = CountText.text(patch.changes.count, "file")
    let deleted = patch.changes.filter(\.isDeleted).count
    let tests = patch.removed.count { plan.candidates[$0].isTest }
    var text = "removes \(CountText.text(patch.removed.count - tests, "function")) "
    if tests > 0 { text += "and \(CountText.text(tests, "function")) of tests " }
    text += "("
    text += "\(CountText.text(patch.lineCount, "line")) in \(files)"
    if deleted > 0 { text += ", \(deleted) of them deleted" }
    return text + ")" + (keptCount == 0 ? "" : ", keeps \(keptCount)")
  }

  private var removed: [String] {
    patch.removed.map { plan.candidates[$0].name + note(plan.candidates[$0]) }
      + patch.emptied.map { "\($0), which has nothing else in it" }
  }

  private func note(_ candidate: PruneCandidate) -> String {
    guard candidate.isTest else { return "" }
    return candidate.shared.map { ", which also tests \($0), as other tests do" }
      ?? ", which tests nothing else"
  }

  private var kept: [(name: String, reason: String)] {
    functions(of: patch.kept.filter { verified?.takenBack[$0.key] == nil }).map {
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
