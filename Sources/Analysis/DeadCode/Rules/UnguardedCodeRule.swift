/// Functions with code that has no guard, so no run can show a call.
///
/// Comes before the rules that treat an unreached guard as evidence.
enum UnguardedCodeRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    if report.head == nil { return .unguardedCode }
    let isUnguarded = family.pieces.contains {
      guard VerdictClassifier.isBody($0.kind), case .unguarded = $0.place else { return false }
      return !$0.isCompilerGenerated
    }
    return isUnguarded ? .unguardedCode : nil
  }
}
