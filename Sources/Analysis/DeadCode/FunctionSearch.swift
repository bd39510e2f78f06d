extension DeadCodeReport {
  /// The functions that a user means by a name: exact names before patterns before parts of names.
  ///
  /// - Parameters:
  ///   - name: a name as a list shows it, whole, or the linker's; part of one; or a pattern.
  ///   - matches: whether a text fits a pattern.
  package func functions(
    named name: String, matches: (_ pattern: String, _ text: String) -> Bool
  ) -> [FunctionReport] {
    func choose(_ isMatch: (String) -> Bool) -> [FunctionReport] {
      select { row in
        isMatch(row.name) || isMatch(row.shortName)
          || row.pieces.contains { !$0.name.isEmpty && isMatch($0.name) }
      }
    }
    let exact = choose { $0 == name }
    if !exact.isEmpty { return exact }
    if name.contains(where: { "*?[".contains($0) }) { return choose { matches(name, $0) } }
    // The plain name of a function, with any parameters.
    let plain = choose { $0.hasPrefix(name + "(") || $0.contains("." + name + "(") }
    return plain.isEmpty ? choose { $0.contains(name) } : plain
  }
}
