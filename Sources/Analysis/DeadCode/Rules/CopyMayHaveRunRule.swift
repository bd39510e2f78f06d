/// Functions of which a copy lies in another function that was called, or that cannot be watched.
///
/// A part that the compiler split off counts with the function it is of: what a copy shares with its caller
/// stays there.
///
/// Before the rules about the function's own code: that it was not reached says nothing then.
enum CopyMayHaveRunRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    for piece in family.pieces {
      guard case .inlined(let copy) = piece.place else { continue }
      let recorded = classifier.profile.builds[piece.build]
      let inlined = recorded.build.inlined[copy]
      if inlined.hasUnwatchedHost { return .copyMayHaveRun }
      for host in inlined.hosts {
        guard let function = recorded.build.function(ofGuard: host) else { return .copyMayHaveRun }
        // One of its own pieces holds it: that one's call is its own.
        if classifier.familyOfGuard[piece.build][function] == Int32(index) { continue }
        if recorded.isCalled(function: function)
          || classifier.isColdPartOfCalled(function, of: piece.build)
        {
          return .copyMayHaveRun
        }
      }
    }
    return nil
  }
}
