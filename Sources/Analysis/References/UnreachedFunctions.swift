import ReferenceIndex

/// Functions that cannot have run, since nothing that may have run refers to them.
///
/// An inlined copy, and a call that the compiler removed, come from a reference in the source. All other calls,
/// through pointers, tables and the loader, reach the function's own code, which was recorded.
struct UnreachedFunctions {
  private let classifier: ReferenceClassifier
  private var isReached: [Bool]

  /// - Parameter candidates: subjects whose own code was not called. They count as never called in `classifier`.
  init(_ candidates: [Int], in classifier: ReferenceClassifier) {
    self.classifier = classifier
    isReached = Array(repeating: true, count: classifier.subjects.count)
    for candidate in candidates { isReached[candidate] = false }
    var users: [Int: [Int]] = [:]
    var next: [Int] = []
    for candidate in candidates {
      guard let referrers = referrers(candidate) else {
        isReached[candidate] = true
        next.append(candidate)
        continue
      }
      for referrer in referrers { users[referrer, default: []].append(candidate) }
    }
    while let subject = next.popLast() {
      for user in users[subject] ?? [] where !isReached[user] {
        isReached[user] = true
        next.append(user)
      }
    }
  }

  func contains(_ subject: Int) -> Bool { !isReached[subject] }

  /// The never-called functions and candidates that refer to a candidate; nil if other code does, or may.
  private func referrers(_ subject: Int) -> [Int]? {
    guard classifier.subjects[subject].named == nil else { return nil }
    switch classifier.subjects[subject].join {
    case .unknown: return nil
    case .local:
      let outer = classifier.referrers[subject].neverCalled
      return outer.isEmpty ? nil : outer
    case .symbol(let symbol):
      guard !isCalledUnnamed(subject), LanguageFeatureRule.decide(subject, in: classifier) == nil,
        TemplateRule.decide(subject, in: classifier) == nil
      else { return nil }
      return referrers(to: symbol)
    }
  }

  /// A call of a requirement or of an overridden method may be a call of the function.
  private func referrers(to symbol: ReferenceIndex.Symbol) -> [Int]? {
    let requirements = AnswersRule.requirements(of: symbol, in: classifier.index)
    var all: [Int] = []
    for target in [symbol] + requirements {
      guard target == symbol || classifier.index.isDefined(target) else { return nil }
      let found = classifier.referrers(to: target, countsOverrides: false)
      guard found.live == nil, found.test == nil else { return nil }
      all += found.neverCalled
    }
    return all
  }

  /// Whether code that names something else may call the function. What other binaries and `dlsym` call is
  /// the function's own code.
  private func isCalledUnnamed(_ subject: Int) -> Bool {
    switch classifier.subjects[subject].reachedByName {
    case nil, .exported: break
    default: return true
    }
    switch ReachedByNameRule.decide(subject, in: classifier) {
    case nil, .reachedByName(.exported): return false
    default: return true
    }
  }
}
