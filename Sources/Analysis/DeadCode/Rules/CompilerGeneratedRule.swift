/// Functions that nobody wrote: nobody can delete them either, whatever ran.
///
/// First, since a call of such a function says nothing of the source.
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
