/// A rule decides the verdict of some functions, and leaves the others to the rules after it.
protocol VerdictRule: SendableMetatype {
  /// - Parameter report: what was counted of the function, before any verdict.
  /// - Returns: nil: not a matter for this rule.
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason?
}

extension VerdictClassifier {
  /// In the order in which they are asked. Each has the reason for its place with it.
  static let rules: [any VerdictRule.Type] = [
    CompilerGeneratedRule.self, CalledRule.self, NotInNewestBuildRule.self, CopyMayHaveRunRule.self,
    CopiesOnlyRule.self, UnguardedCodeRule.self, ReadDirectlyRule.self,
    InliningAttributeRule.self, NoDebugInformationRule.self, SmallAndOptimisedRule.self,
  ]

  /// The verdict on a function, and the rule that gave it.
  func reason(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport
  ) -> VerdictReason {
    for rule in Self.rules {
      if let reason = rule.decide(index, family, report, in: self) { return reason }
    }
    return .watched
  }
}
