/// Functions that share an address with others (`SharedCode.swift`), if code of any of them ran or may have run.
///
/// Comes after `CopyMayHaveRunRule`, which decides about the function's own copies, and before the rules about the
/// function's own code: calls and copies under the other names may have run even if that code was not reached.
enum SharedCodeRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    classifier.shared[index]
  }
}
