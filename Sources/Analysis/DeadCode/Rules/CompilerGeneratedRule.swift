/// Functions that are not in the program's source, so they cannot be deleted from it, called or not.
///
/// Comes first, because a call of such a function shows nothing about the source.
enum CompilerGeneratedRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    // Copies of specialisations without a place do not show whether the compiler generated the function.
    var isMade = false
    for piece in family.pieces where !classifier.isOfUnknownPlace(piece) {
      isMade = piece.isCompilerGenerated
      if !isMade { break }
    }
    return isMade ? .compilerGenerated : nil
  }
}
