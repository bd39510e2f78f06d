/// Functions without code of their own: only copies in functions that no run called.
///
/// After `CopyMayHaveRunRule`, which knows more of them.
enum CopiesOnlyRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport, in judge: Judge
  ) -> VerdictReason? {
    let bodies = family.pieces.filter { Judge.isBody($0.kind) }
    let isCopied = bodies.allSatisfy { if case .inlined = $0.place { true } else { false } }
    return !bodies.isEmpty && isCopied ? .copiesOnly : nil
  }
}
