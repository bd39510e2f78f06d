/// Functions with a piece that some run called.
///
/// Comes before all rules about unknown cases, because a call is evidence.
enum CalledRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    guard report.calledRuns > 0 else { return nil }
    guard let below = classifier.request.below, report.runShare < below else {
      return .called(runs: report.calledRuns)
    }
    return .below(share: report.runShare, threshold: below)
  }
}
