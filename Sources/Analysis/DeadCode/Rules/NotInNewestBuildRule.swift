/// Functions that are in no newest build of an image: in older builds only, or in the linker's list of
/// what it dropped.
///
/// Before the rules about copies and guards: there is nothing left to delete.
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
