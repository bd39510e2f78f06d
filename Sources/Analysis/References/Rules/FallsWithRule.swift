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
