/// Functions that Swift makes for global and static stored variables, by their mangled names
/// (docs/ABI/Mangling.rst of the Swift project).
enum SwiftVariable {
  /// Gives the address of a stored variable, which it initializes first if that takes code:
  /// `$s1M1xSivau`.
  static func isAddressor(_ name: String) -> Bool { name.hasSuffix("vau") }

  /// Sets a static variable: `$s1M1SV1xSivsZ`.
  static func isStaticSetter(_ name: String) -> Bool { name.hasSuffix("vsZ") }

  /// Initializes a variable when it is first used: `$s1M1x_WZ`.
  static func isOnceInitializer(_ name: String) -> Bool { name.hasSuffix("_WZ") }
}
