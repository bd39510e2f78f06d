/// How a function is reached though no code of the build refers to it.
package enum ReachedByName: Hashable, Sendable {
  /// `main`, or the `main()` of a type marked `@main`.
  case entryPoint
  /// An attribute gives it to code that the compiler does not see: `@_cdecl`, `@objc`.
  case attribute(String)
  /// The loader calls it, or the linker keeps it: `constructor`, `used`.
  case linker(String)
  /// The binary exports it: other binaries and `dlsym` can reach it.
  case exported
  /// Source gives its name to `dlsym`.
  case lookedUp(file: String, line: Int)
  /// A feature of the language calls it, without naming it: `buildBlock`, `subscript(dynamicMember:)`.
  case languageFeature(String)
  /// It runs when an instance goes.
  case deinitializer
  /// A test library finds it.
  case test
}
