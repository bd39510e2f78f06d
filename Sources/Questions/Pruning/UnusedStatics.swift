import FirstlightModel
import ReferenceIndex

extension PrunePlan {
  /// Static functions and variables of C that only these candidates use, and that stay: a recording does not show that
  /// they never ran, or their declarations stay. Compilers warn about them.
  func unused(without removed: [Int]) -> [String] {
    guard let index else { return [] }
    let gone = Set(removed.map { candidates[$0].symbol })
    let files = Set(removed.map { candidates[$0].definition.file })
    return (0..<index.symbolCount).compactMap { symbol in
      let references = index.references(to: symbol)
      guard !references.isEmpty, !gone.contains(symbol), index.traits[symbol].language == .c,
        references.allSatisfy({ $0.container.map { $0 == symbol || gone.contains($0) } ?? false }),
        let place = index.definitions(of: symbol).first(where: { !$0.isDeclaration }),
        files.contains(index.files[place.file].path), isStatic(symbol, place, index)
      else { return nil }
      let file = index.files[place.file].path
      return "\(index.name(symbol)) (\(path(of: file) ?? file):\(place.line))"
    }
  }

  private func isStatic(
    _ symbol: ReferenceIndex.Symbol, _ place: ReferenceIndex.Definition, _ index: ReferenceIndex
  ) -> Bool {
    let kind = index.traits[symbol].kind
    guard kind.isFunction || kind == .variable else { return false }
    let usr = index.usr(symbol)
    // Clang names the file of what is local to it; the linker's names do not show it.
    if usr.begins(with: "c:") { return !usr.begins(with: "c:@") }
    let name = String(index.name(symbol).prefix(upToAny: "("))
    return sources.isStatic(name, in: index.files[place.file].path)
  }
}
