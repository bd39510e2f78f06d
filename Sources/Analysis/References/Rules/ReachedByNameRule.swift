import ReferenceIndex

/// Functions that something outside of the compiled source reaches by their name.
///
/// Before protocols and tests: those may be gone one day, and this still holds.
enum ReachedByNameRule: ReferenceRule {
  static func decide(_ subject: Int, in classifier: ReferenceClassifier) -> ReferenceReason? {
    if let name = classifier.subjects[subject].reachedByName { return .reachedByName(name) }
    guard let symbol = classifier.symbol(of: subject) else { return nil }
    let traits = classifier.index.traits[symbol]
    if traits.kind == .destructor { return .reachedByName(.deinitializer) }
    if traits.isUnitTest { return .reachedByName(.test) }
    let name = classifier.index.name(symbol)
    let isMain =
      traits.kind == .staticMethod && name == "main()"
      || traits.kind == .function && traits.language != .swift && name == "main"
    return isMain ? .reachedByName(.entryPoint) : nil
  }
}
