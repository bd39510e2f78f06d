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
