import ReferenceIndex

/// Methods that implement a protocol's requirement or override a method: without them the type
/// would not compile, or calls would reach another method.
///
/// After live code: calls through the requirement do not name the method.
enum AnswersRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    guard let symbol = classifier.symbol(of: subject) else { return nil }
    var best: ReferenceReason.Requirement?
    for requirement in requirements(of: symbol, in: classifier.index) {
      let found = describe(requirement, in: classifier)
      if best == nil || rank(found) < rank(best!) { best = found }
    }
    return best.map { .answers($0) }
  }

  /// All requirements that a symbol implements or overrides, directly or indirectly.
  static func requirements(
    of symbol: ReferenceIndex.Symbol, in index: ReferenceIndex
  ) -> [ReferenceIndex.Symbol] {
    var found: [ReferenceIndex.Symbol] = []
    var next = [symbol]
    while let current = next.popLast() {
      for relation in index.relations(of: current)
      where relation.roles.contains(.overrideOf) && relation.other != symbol
        && !found.contains(relation.other)
      {
        found.append(relation.other)
        next.append(relation.other)
      }
    }
    return found
  }

  private static func describe(
    _ requirement: ReferenceIndex.Symbol, in classifier: ReferenceClassifier
  ) -> ReferenceReason.Requirement {
    let index = classifier.index
    let owner = index.relations(of: requirement).first { $0.roles.contains(.childOf) }?.other
    var isUsed: Bool?
    if index.isDefined(requirement) {
      let referrers = classifier.referrers(to: requirement, countsOverrides: false)
      isUsed = referrers.live != nil || referrers.test != nil
    }
    return ReferenceReason.Requirement(
      name: index.name(requirement), owner: owner.map(index.name) ?? "", isUsed: isUsed)
  }

  /// Used requirements rank first, then possibly used ones.
  private static func rank(_ requirement: ReferenceReason.Requirement) -> Int {
    switch requirement.isUsed {
    case true: 0
    case nil: 1
    case false: 2
    }
  }
}
