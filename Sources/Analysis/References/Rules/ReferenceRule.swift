/// A rule decides about the references to some functions, and leaves the others to the rules after it.
protocol ReferenceRule: SendableMetatype {
  /// - Parameter subject: index of a function.
  /// - Returns: nil: not a matter for this rule.
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason?
}

extension ReferenceClassifier {
  /// Those that keep a function whatever becomes of never-called ones. In the order in which they are
  /// asked; each has the reason for its place with it.
  static let keeping: [any ReferenceRule.Type] = [
    UnknownRule.self, LiveCodeRule.self, ReachedByNameRule.self, LanguageFeatureRule.self,
    AnswersRule.self, PublicInterfaceRule.self, LocalFunctionRule.self, OnlyTestsRule.self,
    TemplateRule.self,
  ]

  static let rules: [any ReferenceRule.Type] =
    keeping + [FallsWithRule.self, OnlyNeverCalledRule.self]
}
