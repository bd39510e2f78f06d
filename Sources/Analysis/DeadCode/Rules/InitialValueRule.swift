/// Stored properties with an initial value. The compiler copies the value into each initializer, without a record
/// and in debug builds, too. So neither the value's own code nor a closure in it shows whether it was used. The value
/// of a global or static variable has no copies.
///
/// Comes before `CopyMayHaveRunRule`, because no record shows these copies.
enum InitialValueRule: VerdictRule {
  static func decide(
    _ index: Int, _ family: FunctionFamily, _ report: FunctionReport,
    in classifier: VerdictClassifier
  ) -> VerdictReason? {
    guard family.isSwift, let value = family.pieces.first(where: { $0.name.contains("vpfi") })
    else { return nil }
    let isOfType = ShortName.of(family.root, mangled: value.name).contains(".")
    return isOfType ? .copiedInitialValue : nil
  }
}
