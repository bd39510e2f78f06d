/// A symbol that one image offers to the others (`.dynsym`, defined).
package struct SymbolDefinition: Hashable, Sendable {
  package var name: String
  /// Empty if the symbol has no version.
  package var version: String
  /// Whether the symbol serves only references to this exact version (`name@V`, not `name@@V`).
  package var isHidden: Bool
  /// Whether the address is that of a stub for another image's function, as in executables that are
  /// not position independent: the stub serves references to the address, but not calls.
  package var isStub: Bool

  package init(name: String, version: String = "", isHidden: Bool = false, isStub: Bool = false) {
    self.name = name
    self.version = version
    self.isHidden = isHidden
    self.isStub = isStub
  }
}
