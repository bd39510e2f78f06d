import FirstlightModel

/// Functions that do not return to their callers: async functions of Swift and their parts.
package enum AsyncPieces {
  /// Whether a linker name belongs to an async function or a part of one.
  package static func contains(_ name: String) -> Bool {
    // The main function of an async program has no mangled name.
    if name == "async_Main" || SwiftSymbol.isAsyncPiece(name) { return true }
    guard SwiftSymbol(name)?.mayBeAsync == true else { return false }
    let text = Demangler.demangle(name)
    return text.containsUTF8(" async ") || text.containsUTF8("@async ")
  }
}
