import SystemSupport

extension DeadCodeReport {
  /// Finds functions by a name that a user typed. Exact names come before patterns, and patterns before parts
  /// of names.
  ///
  /// - Parameter name: a whole name as a list shows it, a linker name, part of a name, or a pattern.
  package func functions(named name: String) -> [FunctionReport] {
    func choose(_ isMatch: (String) -> Bool) -> [FunctionReport] {
      select { row in
        isMatch(row.name) || isMatch(row.shortName)
          || row.pieces.contains { !$0.name.isEmpty && isMatch($0.name) }
      }
    }
    let exact = choose { $0 == name }
    if !exact.isEmpty { return exact }
    if name.contains(where: { "*?[".contains($0) }) { return choose { Glob.matches(name, $0) } }
    // The plain name of a function, whatever its parameters.
    let plain = choose { $0.hasPrefix(name + "(") || $0.contains("." + name + "(") }
    return plain.isEmpty ? choose { $0.contains(name) } : plain
  }
}
