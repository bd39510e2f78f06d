import ReferenceIndex

/// Members that Swift calls although their name is not written there: those of result builders, of property
/// wrappers, of string interpolation.
///
/// After `ReachedByNameRule`, which knows more. By name alone: a member of that name that means
/// something else is kept, too.
enum LanguageFeatureRule: ReferenceRule {
  private static let baseNames: Set<Substring> = [
    "buildBlock", "buildPartialBlock", "buildExpression", "buildOptional", "buildEither",
    "buildArray", "buildLimitedAvailability", "buildFinalResult", "appendInterpolation",
    "appendLiteral", "callAsFunction", "dynamicallyCall", "wrappedValue", "projectedValue", "~=",
    "asyncIterator", "makeAsyncIterator", "makeIterator",
  ]
  private static let labels = ["(dynamicMember:", "(wrappedValue:", "(projectedValue:"]

  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    guard let symbol = classifier.symbol(of: subject),
      classifier.index.traits[symbol].language == .swift
    else { return nil }
    let name = classifier.index.name(symbol)
    let isKnown =
      baseNames.contains(name.prefix { $0 != "(" }) || labels.contains { name.contains($0) }
    return isKnown ? .reachedByName(.languageFeature(name)) : nil
  }
}
