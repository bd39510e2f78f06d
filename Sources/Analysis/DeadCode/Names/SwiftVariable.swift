/// Recognizes functions that Swift generates for global and static stored variables, by mangled name
/// (docs/ABI/Mangling.rst of the Swift project).
enum SwiftVariable {
  /// Returns the address of a stored variable, and initializes the variable first if that takes code:
  /// `$s1M1xSivau`.
  static func isAddressor(_ name: String) -> Bool { name.hasSuffix("vau") }

  /// Sets a static variable: `$s1M1SV1xSivsZ`.
  static func isStaticSetter(_ name: String) -> Bool { name.hasSuffix("vsZ") }

  /// Initializes a variable at its first use: `$s1M1x_WZ`.
  static func isOnceInitializer(_ name: String) -> Bool { name.hasSuffix("_WZ") }

  /// Whether a linker name is that of a closure, but not of an autoclosure, in a variable's initial value.
  static func isClosureOfInitialValue(_ name: String) -> Bool {
    guard name.hasSuffix("_"), name.contains("vpfi") || name.contains("vpZfi") else { return false }
    return name.dropLast().last { !$0.isNumber } == "U"
  }
}
