/// A rule decides the verdict of some functions, and leaves the others to the rules after it.
protocol VerdictRule: SendableMetatype {
  /// - Parameter report: the function's counts, still without a verdict.
  /// - Returns: nil if the rule does not apply.
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason?
}

extension VerdictClassifier {
  /// In the order of application. The comment of each rule has the reason for its place.
  static let rules: [any VerdictRule.Type] = [
    CompilerGeneratedRule.self, CalledRule.self, NotInNewestBuildRule.self, CountedRule.self,
    InitialValueRule.self,
    CopyMayHaveRunRule.self, SharedCodeRule.self, CopiesOnlyRule.self, UnguardedCodeRule.self,
    UnwatchedRule.self, ReadDirectlyRule.self, InliningAttributeRule.self,
    NoDebugInformationRule.self, OptimisedCodeRule.self,
  ]

  /// The reason from the first rule that applies to a function.
  func reason(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport
  ) -> VerdictReason {
    let decided = Self.rules.lazy.compactMap { $0.decide(index, family, report, in: self) }.first
    let reason = decided ?? .watched
    guard reason.verdict == .neverCalled, isWithoutStart(family) else { return reason }
    return .notCalledWhileWatched(
      windows: report.watchedRuns,
      seconds: report.watchedRuns == windows.count ? windows.seconds : nil)
  }
}
