import ReferenceIndex

/// A rule classifies the references to some functions, and passes on the others to later rules.
protocol ReferenceRule: SendableMetatype {
  /// - Parameter subject: index of a function.
  /// - Returns: nil if this rule does not apply.
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason?
}

extension ReferenceClassifier {
  /// The rules that keep a function regardless of never-called ones, in the order of their use;
  /// each gives the reason for its position.
  static let keeping: [any ReferenceRule.Type] = [
    UnknownRule.self, LiveCodeRule.self, ReachedByNameRule.self, AnswersRule.self,
    LanguageFeatureRule.self, PublicInterfaceRule.self, LocalFunctionRule.self, OnlyTestsRule.self,
    TemplateRule.self,
  ]

  static let rules: [any ReferenceRule.Type] =
    keeping + [FallsWithRule.self, OnlyNeverCalledRule.self]
}

/// Functions without a symbol in the index.
///
/// First: only their declaration is known.
enum UnknownRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    guard case .unknown(let reason) = classifier.subjects[subject].join else { return nil }
    if let name = classifier.subjects[subject].reachedByName { return .reachedByName(name) }
    return .unknown(reason)
  }
}

/// Functions referred to by code that may run: a called function, or one that was not recorded.
///
/// Before the other rules that keep a function: a place in the source is the best evidence.
enum LiveCodeRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    classifier.referrers[subject].live.map { .liveCode(classifier.site($0)) }
  }
}

/// Local functions of a function that may run: only that one can refer to them, and indexes omit
/// them.
///
/// Local functions of a never-called function fall with it.
enum LocalFunctionRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    guard case .local(let outer) = classifier.subjects[subject].join,
      classifier.referrers[subject].neverCalled.isEmpty
    else { return nil }
    return .local(within: classifier.index.name(outer))
  }
}

/// Functions referred to only by never-called functions, if one of those is kept, or if tests use
/// the function too.
///
/// Last: the remaining functions have no reference.
enum OnlyNeverCalledRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    let test = classifier.referrers[subject].test.map(classifier.site)
    let referrers = classifier.referrers[subject].neverCalled
    let kept = referrers.first { !classifier.clusters.isRemovable($0) }
    return (kept ?? referrers.first).map { .onlyNeverCalled(by: $0, test: test) }
  }
}

/// Functions referred to only by tests.
///
/// After the other rules that keep a function. If never-called functions also refer to it,
/// `OnlyNeverCalledRule` gives more information.
enum OnlyTestsRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    let referrers = classifier.referrers[subject]
    guard referrers.neverCalled.isEmpty else { return nil }
    return referrers.test.map { .onlyTests(classifier.site($0)) }
  }
}

/// Functions referred to only by removable never-called functions.
///
/// After all rules that keep a function, since those determine which functions are removable.
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

/// C++ functions without references: templates call functions by names that are resolved for each
/// instance, and a range-based `for` calls `begin` and `end`; an index has neither.
///
/// After all more specific rules.
enum TemplateRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    guard let symbol = classifier.symbol(of: subject),
      classifier.index.traits[symbol].language == .cxx
    else { return nil }
    return .unknown(.templates)
  }
}

/// Functions that code outside the compiled source reaches by name.
///
/// Before protocols and tests: those may be removed one day, while this reason remains.
enum ReachedByNameRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    if let name = classifier.subjects[subject].reachedByName { return .reachedByName(name) }
    guard let symbol = classifier.symbol(of: subject) else { return nil }
    let traits = classifier.index.traits[symbol]
    if traits.kind == .destructor { return .reachedByName(.deinitializer) }
    if traits.isUnitTest { return .reachedByName(.test) }
    if isReserved(classifier.index.usr(symbol)) { return .reachedByName(.reserved) }
    let name = classifier.index.name(symbol)
    let isMain =
      traits.kind == .staticMethod && name == "main()"
      || traits.kind == .function && traits.language != .swift && name == "main"
    return isMain ? .reachedByName(.entryPoint) : nil
  }

  /// Whether a USR is that of a C function with a reserved name that is not local to its file: `__wrap_malloc`,
  /// `__asan_default_options`.
  private static func isReserved(_ usr: String) -> Bool {
    guard usr.hasPrefix("c:@F@_") else { return false }
    return usr.dropFirst(6).first.map { $0 == "_" || $0.isUppercase } ?? false
  }
}
