/// Functions of which a run called some piece.
///
/// Before all rules about what is unknown: a call is evidence, whatever else the function looks like.
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
