/// A shared library that a binary needs, and what of it the binary uses.
package struct LibraryUse: Hashable, Sendable {
  /// As `DT_NEEDED` names it.
  package var name: String
  /// Where the loader would find it on this machine; nil: not found.
  package var path: String?
  /// How many symbols the binary itself takes from it.
  package var symbols: Int

  /// Whether the binary itself takes nothing from it. Others that it needs may.
  package var isUnused: Bool { path != nil && symbols == 0 }

  package init(name: String, path: String?, symbols: Int) {
    self.name = name
    self.path = path
    self.symbols = symbols
  }
}
