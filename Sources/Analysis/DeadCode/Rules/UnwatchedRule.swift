/// Functions that may have run before the watch of a running program began.
///
/// Comes before the rules that treat a guard that was not reached as evidence.
enum UnwatchedRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    let mayHaveRun = family.pieces.contains { piece in
      guard piece.build >= 0, case .guarded(let function) = piece.place else { return false }
      let recorded = classifier.profile.builds[piece.build]
      guard !recorded.unwatched.isEmpty else { return false }
      return recorded.unwatched.contains(recorded.build.entryGuards[function])
    }
    return mayHaveRun ? .unwatched : nil
  }
}
