/// Functions that do not return to their callers: async functions of Swift and their pieces.
package enum AsyncPieces {
  /// Whether a linker name is that of an async function or of a piece of one: `TQ<n>_` and `TY<n>_`
  /// behind the name of the function are what runs after an await (Swift, docs/ABI/Mangling.rst:
  /// async-await-resume and suspend partial functions), and a function type with `Ya` is async.
  package static func contains(_ name: String) -> Bool {
    // The main function of an async program is not mangled, but for its pieces' endings.
    if name == "async_Main" || isPiece(name) { return true }
    guard Demangler.isSwift(name), name.contains("Ya") else { return false }
    let text = Demangler.demangle(name)
    return text.contains(" async ") || text.contains("@async ")
  }

  private static func isPiece(_ name: String) -> Bool {
    var rest = Substring(name)
    guard rest.last == "_" else { return false }
    rest = rest.dropLast()
    while let last = rest.last, last.isNumber { rest = rest.dropLast() }
    return rest.hasSuffix("TQ") || rest.hasSuffix("TY")
  }
}
