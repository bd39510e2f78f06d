/// Functions that a recorder could not watch when it attached to a running program, and the program's `main`, which
/// ran before.
///
/// Comes before the rules that treat a guard that was not reached as evidence.
enum UnwatchedRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    if family.root == "main", classifier.isWithoutStart(family) { return .unwatched }
    return reason(family.pieces, in: classifier)
  }

  static func reason(
    _ pieces: [FunctionReport.Piece], in classifier: VerdictClassifier
  ) -> VerdictReason? {
    let isUnwatched = pieces.contains { piece in
      guard piece.build >= 0 else { return false }
      let recorded = classifier.profile.builds[piece.build]
      guard !recorded.unwatched.isEmpty else { return false }
      return switch piece.place {
      case .guarded(let function):
        recorded.unwatched.contains(recorded.build.entryGuards[function])
      case .inlined(let copy):
        recorded.build.inlined[copy].hosts.contains(where: recorded.unwatched.contains)
      case .unguarded, .counted, .dropped: false
      }
    }
    return isUnwatched ? .unwatched : nil
  }
}
