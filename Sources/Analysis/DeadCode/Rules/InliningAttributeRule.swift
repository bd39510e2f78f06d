/// Functions with an attribute that makes compilers copy them into callers, or forbids it.
///
/// Comes before `SmallAndOptimisedRule`: an attribute is certain, a size is a guess.
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

  /// C compilers remove calls of functions without effect, even of functions that they never copy.
  private static func neverInlined(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason {
    let bySize =
      family.isSwift ? nil : SmallAndOptimisedRule.decide(index, family, report, in: classifier)
    return bySize ?? .neverInlined
  }
}
