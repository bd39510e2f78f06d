/// Functions whose declaration says whether compilers copy them into callers.
///
/// Before `SmallAndOptimisedRule`, which guesses what these say.
enum InliningAttributeRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    switch classifier.request.inlining(report) {
    case .mandatory: .alwaysInlined
    case .whenOptimised: classifier.isOptimised(family) ? .inlinedWhenOptimised : nil
    case .never: neverInlined(index, family, report, in: classifier)
    case nil: nil
    }
  }

  /// Compilers of C remove calls of functions without effect, even of those that they never copy.
  private static func neverInlined(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason {
    let bySize =
      family.isSwift ? nil : SmallAndOptimisedRule.decide(index, family, report, in: classifier)
    return bySize ?? .neverInlined
  }
}
