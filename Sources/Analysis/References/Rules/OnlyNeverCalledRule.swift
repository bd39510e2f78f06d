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
