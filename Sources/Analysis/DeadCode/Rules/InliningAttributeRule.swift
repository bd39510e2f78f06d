/// Functions whose declaration says whether compilers copy them into callers.
///
/// Before `SmallAndOptimisedRule`, which guesses what these say.
enum InliningAttributeRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport, in judge: Judge
  ) -> VerdictReason? {
    switch judge.options.inlining(report) {
    case .mandatory: .alwaysInlined
    case .whenOptimised: judge.isOptimised(family) ? .inlinedWhenOptimised : nil
    case .never: .neverInlined
    case nil: nil
    }
  }
}
