/// Names that macros of C may put together with `##`.
struct PastedNames {
  private struct Macro {
    var body: Set<Substring> = []
    /// Whether all definitions have parameters.
    var hasParameters = true
    /// Whether it pastes, or its body has a macro that does.
    var isPasting = false
  }

  /// What macros paste: the arguments they are called with, and the words beside `##`.
  private var parts: Set<Substring> = []
  /// Arguments of macros that the project does not define: these may add anything to them.
  private var stems: Set<Substring> = []

  init(_ texts: [String]) {
    let files = texts.map(MacroText.init)
    var macros: [Substring: Macro] = [:]
    for macro in files.lazy.flatMap(\.definitions) {
      macros[macro.name, default: Macro()].body.formUnion(macro.body)
      if !macro.hasParameters { macros[macro.name]?.hasParameters = false }
      if macro.body.contains("##") { macros[macro.name]?.isPasting = true }
    }
    while let next = macros.first(where: { entry in
      !entry.value.isPasting && entry.value.body.contains { macros[$0]?.isPasting == true }
    }) {
      macros[next.key]?.isPasting = true
    }
    if !addUses(in: files, of: macros) {
      // A pasting macro is passed on by its name, so that any macro may call it.
      for name in macros.keys {
        macros[name]?.isPasting = true
        macros[name]?.hasParameters = false
      }
      _ = addUses(in: files, of: macros)
    }
  }

  /// Returns false if a pasting macro is used without arguments.
  private mutating func addUses(in files: [MacroText], of macros: [Substring: Macro]) -> Bool {
    for macro in macros.values where macro.isPasting {
      parts.formUnion(macro.body.filter(MacroText.isWord))
    }
    for file in files {
      for tokens in file.runs {
        for (place, name) in tokens.enumerated() where MacroText.isWord(name) {
          if let macro = macros[name] {
            guard macro.isPasting else { continue }
            if let arguments = MacroText.arguments(tokens[(place + 1)...]) {
              parts.formUnion(arguments.lazy.filter(MacroText.isWord))
            } else if macro.hasParameters {
              return false
            }
          } else if MacroText.isMacroName(name),
            let arguments = MacroText.arguments(tokens[(place + 1)...])
          {
            stems.formUnion(arguments.lazy.filter(MacroText.isWord))
          }
        }
      }
    }
    return true
  }

  /// Whether a macro may make this name.
  func mayBe(_ name: Substring) -> Bool {
    if stems.contains(where: { $0 != name && (name.hasPrefix($0) || name.hasSuffix($0)) }) {
      return true
    }
    // Whether the name's beginning of each length consists of parts.
    let bytes = Array(name.utf8)
    var isMade = [true] + [Bool](repeating: false, count: bytes.count)
    for start in bytes.indices where isMade[start] {
      for end in (start + 1)..<(bytes.count + 1) where end - start < bytes.count {
        let part = Substring(decoding: bytes[start..<end], as: UTF8.self)
        isMade[end] = isMade[end] || parts.contains(part)
      }
    }
    return isMade[bytes.count]
  }
}
