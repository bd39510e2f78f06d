/// Functions to which only tests refer, or tests and never-called functions.
///
/// After all that keeps a function without its tests.
enum OnlyTestsRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    classifier.referrers[subject].test.map { .onlyTests(classifier.site($0)) }
  }
}
