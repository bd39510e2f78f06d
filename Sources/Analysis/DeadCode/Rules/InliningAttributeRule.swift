/// Functions with an attribute that makes compilers copy them into callers, or forbids it.
///
/// Comes before `OptimisedCodeRule`, which knows no attributes.
enum InliningAttributeRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    switch classifier.request.inlining(report) {
    // Copies call entry hooks; those that do not are known.
    case .mandatory: isHooked(family, in: classifier) ? nil : .alwaysInlined
    case .evaluated: isHooked(family, in: classifier) ? .evaluatedByCompiler : nil
    case .whenOptimised: classifier.isOptimised(family) ? .inlinedWhenOptimised : nil
    case .never: neverInlined(index, family, report, in: classifier)
    case nil: nil
    }
  }

  private static func isHooked(
    _ family: FunctionFamily, in classifier: VerdictClassifier
  ) -> Bool {
    family.pieces.allSatisfy {
      $0.build < 0 || classifier.profile.builds[$0.build].build.recorder == .entryHooks
    }
  }

  /// C compilers remove calls of functions without effect, even of functions that they never copy.
  private static func neverInlined(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason {
    let bySize =
      family.isSwift ? nil : OptimisedCodeRule.decide(index, family, report, in: classifier)
    return bySize ?? .neverInlined
  }
}
