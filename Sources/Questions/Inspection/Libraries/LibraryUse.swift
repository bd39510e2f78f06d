import FirstlightModel
import Recording

/// A shared library that a binary needs, and the binary's use of it.
package struct LibraryUse: Hashable, Sendable {
  /// The name in `DT_NEEDED`.
  package var name: String
  /// The loader's path for it on this machine; nil if it was not found.
  package var path: String?
  /// Number of its symbols that the binary itself uses.
  package var symbols: Int

  /// Whether the binary itself uses none of its symbols. Other needed libraries may use some.
  var isUnused: Bool { path != nil && symbols == 0 }

  package init(name: String, path: String?, symbols: Int) {
    self.name = name
    self.path = path
    self.symbols = symbols
  }

  /// The binary's use of each library that it needs itself.
  package static func all(of facts: BinaryFacts) -> [LibraryUse] {
    let graph = LibrarySearch.graph(facts)
    let bindings = SymbolBindings(graph)
    let root = graph.nodes[0]
    // A node's first name may differ from the binary's name for it.
    let found = zip(facts.dynamic.needed.filter { !root.missing.contains($0) }, root.needs)
    let places = Dictionary(texts: found.map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
    return facts.dynamic.needed.map { name in
      guard let place = places[name] else { return LibraryUse(name: name, path: nil, symbols: 0) }
      let symbols = bindings.uses.first { $0.from == 0 && $0.to == place }?.symbols.count ?? 0
      return LibraryUse(name: name, path: graph.nodes[place].path, symbols: symbols)
    }
  }
}
