/// Stored properties with an initial value. The compiler copies it into each initializer, without a record and in
/// debug builds, too, so neither its own code nor a closure in it shows whether it was used.
///
/// Comes before `UnreachedRule`: no reference shows these copies.
enum InitialValueRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    family.isSwift && family.pieces.contains { $0.name.contains("vpfi") }
      ? .copiedInitialValue : nil
  }
}
