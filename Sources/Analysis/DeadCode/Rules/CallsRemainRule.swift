/// Functions of which gcc says that it inlined no call, and that have an effect, so that it removed none: each call
/// reached the function's own code (`Reading/DebugInfo/ELF/EffectScanner.swift`).
///
/// Comes before the rules about attributes and size, which look at what a compiler may do. Comes after
/// `CopyMayHaveRunRule`, which knows where gcc did inline.
enum CallsRemainRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    classifier.request.callsRemain.contains(report.identity) ? .callsRemain : nil
  }
}
