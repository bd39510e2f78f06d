import ReferenceIndex

/// Functions of C++ without a reference: templates call functions by names that are resolved for each
/// instance, and a range-based `for` calls `begin` and `end`; an index holds neither.
///
/// After all that says more.
enum TemplateRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    guard let symbol = classifier.symbol(of: subject),
      classifier.index.traits[symbol].language == .cxx
    else { return nil }
    return .unknown(.templates)
  }
}
