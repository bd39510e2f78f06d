/// Functions that nothing refers to but code that did not run, according to an index or to names in the source
/// (`References/UnreachedFunctions.swift`). Copies come from such references, so there is none that ran.
///
/// Comes before all rules about copies: it knows more than any of them.
enum UnreachedRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    // Only recorded code shows that it was not called through a pointer.
    guard classifier.request.unreached.contains(report.identity),
      UnwatchedRule.decide(index, family, report, in: classifier) == nil
    else { return nil }
    return .unreached
  }
}
