import FirstlightModel

/// The index symbol of a binary's function.
package enum FunctionJoin: Hashable, Sendable {
  /// The function itself, or the function around a closure, accessor or specialization.
  case symbol(ReferenceIndex.Symbol)
  /// A local function within this symbol. Indexes omit local functions: only this symbol can refer to it.
  case local(within: ReferenceIndex.Symbol)
  case unknown(Reason)

  package var isUnknown: Bool { if case .unknown = self { true } else { false } }

  /// The reason why no symbol was found.
  package enum Reason: String, CaseIterable, Sendable {
    /// The function is compiler-generated, with nothing in the source.
    case compilerGenerated = "compiler-generated"
    /// The binary has no symbol for the function, or debug information has no file.
    case noName = "no name"
    /// The index does not cover the function's file.
    case fileNotIndexed = "file not indexed"
    /// The index covers the file but has no such function: usually, a macro made the function.
    case notDefined = "not in the index"
    /// Several functions on the same line have this name.
    case ambiguous = "ambiguous"
    /// An initializer for the variables of one pattern, `let (a, b) = ...`, each of which has a row.
    case severalVariables = "initializes several variables"
    /// C++ templates can call the function by a name that the compiler resolves for each instance,
    /// and the index omits those.
    case templates = "C++ templates are not indexed"
    /// An initializer in an extension of a type with a short form: `T?(x: 1)`, `[3 of T](x: 1)`.
    case typeSugar = "calls through T? and [n of T] are not indexed"
    /// Machine code may refer to the function, but there is no relocation, and no name in the source.
    case noRelocation =
      "machine code without relocations may use it, build with -ffunction-sections"
  }
}
