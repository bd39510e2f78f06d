/// Functions that nobody wrote: nobody can delete them either, whatever ran.
///
/// First, since a call of such a function says nothing of the source.
enum CompilerMadeRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport, in judge: Judge
  ) -> VerdictReason? {
    // Copies of specialisations say nothing of who made them.
    var isMade = false
    for piece in family.pieces where !judge.isOfUnknownPlace(piece) {
      isMade = piece.isCompilerMade
      if !isMade { break }
    }
    return isMade ? .compilerMade : nil
  }
}
