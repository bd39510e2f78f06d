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
