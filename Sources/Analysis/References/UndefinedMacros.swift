/// Names that look like macros and that no text of the project defines.
package enum UndefinedMacros {
  /// Returns the undefined macros that each file calls, by path. An option of the compiler may define them, or a
  /// header that is not among the texts.
  ///
  /// A name counts if it has no small letters, and all texts do nothing with it but call it.
  ///
  /// - Parameter texts: contents by path.
  package static func calls(in texts: [String: String]) -> [String: Set<Substring>] {
    var known: Set<Substring> = []
    var calls: [String: Set<Substring>] = [:]
    for (path, text) in texts {
      let file = MacroText(text)
      known.formUnion(file.definitions.lazy.map(\.name))
      for tokens in file.runs {
        for (place, name) in tokens.enumerated() where MacroText.isMacroName(name) {
          let isCall = place + 1 < tokens.count && tokens[place + 1] == "("
          if isCall, place == 0 || !isType(tokens[place - 1]) {
            calls[path, default: []].insert(name)
          } else {
            known.insert(name)
          }
        }
      }
    }
    return calls.mapValues { $0.subtracting(known) }.filter { !$0.value.isEmpty }
  }

  /// Whether a word before a name makes it a function's declaration.
  private static func isType(_ token: Substring) -> Bool {
    MacroText.isWord(token) && !NamesInSource.statements.contains(token)
  }
}
