extension Failure {
  /// - Parameters:
  ///   - path: of the store.
  ///   - what: could not be read, or why.
  package static func damagedStore(_ path: String, _ what: String) -> Failure {
    Failure(.data, "\(path): \(Self.damagedStoreWords)\(what)")
  }

  /// Whether it is the store's own, and says nothing of what it was asked.
  package var isOfDamagedStore: Bool {
    kind == .data && problem.contains(Self.damagedStoreWords)
  }

  private static let damagedStoreWords = "damaged store: "
}
