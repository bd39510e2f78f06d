/// Functions that are not written in the program's source, and so cannot be deleted from it, whether or not
/// they ran.
///
/// First, since a call of such a function shows nothing about the source.
enum CompilerGeneratedRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    // Copies of specialisations say nothing of who made them.
    var isMade = false
    for piece in family.pieces where !classifier.isOfUnknownPlace(piece) {
      isMade = piece.isCompilerGenerated
      if !isMade { break }
    }
    return isMade ? .compilerGenerated : nil
  }
}
