/// Functions without debug information. Copies in called functions would leave no record.
///
/// Comes before `OptimisedCodeRule`: without debug information, nothing shows whether code was optimised.
enum NoDebugInformationRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    family.pieces.contains { isUnknown($0, family, in: classifier) } ? .noDebugInformation : nil
  }

  /// Compilers other than Swift's describe all functions of a file or none. Swift's omits functions whose code
  /// it merged, so a missing description proves nothing there.
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
