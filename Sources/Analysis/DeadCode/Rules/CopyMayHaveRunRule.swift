/// Functions with a copy in another function that was called, or whose calls cannot be recorded.
///
/// A host that is a cold part counts as called if the function that it was split off from was called.
///
/// Comes before the rules about the function's own code: a copy may have run even if that code was not
/// reached.
enum CopyMayHaveRunRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    var mayHaveRun = false
    for piece in family.pieces {
      guard case .inlined(let copy) = piece.place else { continue }
      let recorded = classifier.profile.builds[piece.build]
      let inlined = recorded.build.inlined[copy]
      if inlined.hasUnwatchedHost { mayHaveRun = true }
      for host in inlined.hosts {
        guard let function = recorded.build.function(ofGuard: host) else {
          mayHaveRun = true
          continue
        }
        // The host is a piece of this same function: its calls are already counted.
        if classifier.familyOfGuard[piece.build][function] == Int32(index) { continue }
        if recorded.isCalled(function: function)
          || classifier.isColdPartOfCalled(function, of: piece.build)
        {
          return .copyInCalledFunction
        }
      }
    }
    return mayHaveRun ? .copyMayHaveRun : nil
  }
}
