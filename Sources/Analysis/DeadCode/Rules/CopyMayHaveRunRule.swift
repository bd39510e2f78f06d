/// Functions with a copy in another function that was called, or whose calls cannot be recorded.
///
/// A host that is a cold part counts as called if the function that it was split off from was called. A program that
/// the recorder attached to may have been inside a host that no start was recorded of.
///
/// Comes before the rules about the function's own code: a copy may have run even if that code was not
/// reached.
enum CopyMayHaveRunRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    reason(
      family.pieces.filter { if case .inlined = $0.place { true } else { false } }, of: index,
      in: classifier)
  }

  /// - Parameters:
  ///   - pieces: copies, whose hosts may have run, and other code that may have run itself.
  ///   - index: the family whose own code does not count here, because `CalledRule` decides about it. The default
  ///     is no family.
  static func reason(
    _ pieces: [FunctionReport.Piece], of index: Int = -2, in classifier: VerdictClassifier
  ) -> VerdictReason? {
    var mayHaveRun = false
    for piece in pieces {
      let recorded = classifier.profile.builds[piece.build]
      var hosts: [UInt32] = []
      if case .inlined(let copy) = piece.place {
        let inlined = recorded.build.inlined[copy]
        if inlined.hasUnwatchedHost
          || inlined.hosts.contains(where: recorded.withoutStart.contains)
        {
          mayHaveRun = true
        }
        hosts = inlined.hosts
      } else if case .guarded(let function) = piece.place {
        hosts = [recorded.build.entryGuards[function]]
      }
      for host in hosts {
        guard let function = recorded.build.function(ofGuard: host) else {
          mayHaveRun = true
          continue
        }
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
