/// Functions to which code refers that may run: a called function, or one that nothing watched.
///
/// Before all that keeps a function without such a reference: a place in the source says most.
enum LiveCodeRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    classifier.referrers[subject].live.map { .liveCode(classifier.site($0)) }
  }
}
