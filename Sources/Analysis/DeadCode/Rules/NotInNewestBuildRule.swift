/// Functions that are in no newest build of an image. Only older builds contain them, or the linker's list of
/// dropped code.
///
/// Comes before the rules about copies and guards: the code is already gone.
enum NotInNewestBuildRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    let isDropped = family.pieces.allSatisfy { piece in
      guard piece.build >= 0 else { return true }
      guard let newest = classifier.newest[classifier.imageNames[piece.build]] else { return false }
      return classifier.rank[newest] > classifier.rank[piece.build]
    }
    return isDropped ? .notInNewestBuild : nil
  }
}
