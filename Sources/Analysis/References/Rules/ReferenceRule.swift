import ReferenceIndex

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

/// Functions without a symbol in the index.
///
/// First: nothing else is known of them but their declaration.
enum UnknownRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    guard case .unknown(let reason) = classifier.subjects[subject].join else { return nil }
    if let name = classifier.subjects[subject].reachedByName { return .reachedByName(name) }
    return .unknown(reason)
  }
}

/// Functions to which code refers that may run: a called function, or one that nothing watched.
///
/// Before all that keeps a function without such a reference: a place in the source says most.
enum LiveCodeRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    classifier.referrers[subject].live.map { .liveCode(classifier.site($0)) }
  }
}

/// Functions within a function that may run: only that one can refer to them, and indexes leave them
/// out.
///
/// Those within a never-called function fall with it.
enum LocalFunctionRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    guard case .local(let outer) = classifier.subjects[subject].join,
      classifier.referrers[subject].neverCalled.isEmpty
    else { return nil }
    return .local(within: classifier.index.name(outer))
  }
}

/// Functions to which only never-called functions refer, where something keeps one of those, or which
/// tests use, too.
///
/// Last: nothing refers to what is left.
enum OnlyNeverCalledRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    let test = classifier.referrers[subject].test.map(classifier.site)
    let referrers = classifier.referrers[subject].neverCalled
    let kept = referrers.first { !classifier.clusters.isRemovable($0) }
    return (kept ?? referrers.first).map { .onlyNeverCalled(by: $0, test: test) }
  }
}

/// Functions to which only tests refer.
///
/// After all that keeps a function without its tests. Never-called functions that refer to one, too,
/// say more: `OnlyNeverCalledRule`.
enum OnlyTestsRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    let referrers = classifier.referrers[subject]
    guard referrers.neverCalled.isEmpty else { return nil }
    return referrers.test.map { .onlyTests(classifier.site($0)) }
  }
}

/// Functions to which only never-called functions refer that can be removed themselves.
///
/// After all rules that keep a function: those decide what can be removed.
enum FallsWithRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    let clusters = classifier.clusters
    guard clusters.isRemovable(subject), !classifier.referrers[subject].neverCalled.isEmpty else {
      return nil
    }
    let root = clusters.root(of: subject)
    return .fallsWith(
      root: root, others: root == subject ? clusters.referrerCount(of: subject) : 0,
      clusters.cluster(of: root))
  }
}

/// Functions of C++ without a reference: templates call functions by names that are resolved for each
/// instance, and a range-based `for` calls `begin` and `end`; an index holds neither.
///
/// After all that says more.
enum TemplateRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    guard let symbol = classifier.symbol(of: subject),
      classifier.index.traits[symbol].language == .cxx
    else { return nil }
    return .unknown(.templates)
  }
}

/// Functions that something outside of the compiled source reaches by their name.
///
/// Before protocols and tests: those may be gone one day, and this still holds.
enum ReachedByNameRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    if let name = classifier.subjects[subject].reachedByName { return .reachedByName(name) }
    guard let symbol = classifier.symbol(of: subject) else { return nil }
    let traits = classifier.index.traits[symbol]
    if traits.kind == .destructor { return .reachedByName(.deinitializer) }
    if traits.isUnitTest { return .reachedByName(.test) }
    let name = classifier.index.name(symbol)
    let isMain =
      traits.kind == .staticMethod && name == "main()"
      || traits.kind == .function && traits.language != .swift && name == "main"
    return isMain ? .reachedByName(.entryPoint) : nil
  }
}

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
