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
