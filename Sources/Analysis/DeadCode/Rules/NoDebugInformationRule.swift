/// Functions without debug information, so that nothing would show their copies in functions that were
/// called, nor whether an optimiser made any.
///
/// Before `SmallAndOptimisedRule`, which takes the size for evidence: without records it is none.
enum NoDebugInformationRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    family.pieces.contains { isUnknown($0, family, in: classifier) } ? .noDebugInformation : nil
  }

  /// Compilers other than Swift's describe each function of a file or none, so that a program may have both
  /// kinds; Swift's leaves out those whose code it merged.
  private static func isUnknown(
    _ piece: FunctionReport.Piece, _ family: FunctionFamily, in classifier: VerdictClassifier
  ) -> Bool {
    guard case .guarded(let index) = piece.place else { return false }
    let build = classifier.profile.builds[piece.build].build
    if !build.hasDebugInfo { return true }
    guard !family.isSwift, VerdictClassifier.isBody(piece.kind) else { return false }
    let function = build.functions[index]
    return function.file == nil && !function.isCompilerGenerated
  }
}
