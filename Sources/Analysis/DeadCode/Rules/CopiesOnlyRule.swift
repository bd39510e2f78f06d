/// Functions without code of their own: they have only copies, in functions that no run called.
///
/// Comes after `CopyMayHaveRunRule`, which decides about copies that may have run.
enum CopiesOnlyRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    let bodies = family.pieces.filter { VerdictClassifier.isBody($0.kind) }
    let isCopied = bodies.allSatisfy { if case .inlined = $0.place { true } else { false } }
    return !bodies.isEmpty && isCopied ? .copiesOnly : nil
  }
}
