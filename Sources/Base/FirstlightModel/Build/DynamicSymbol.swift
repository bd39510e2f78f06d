/// A symbol that one image offers to the others (`.dynsym`, defined).
package struct SymbolDefinition: Hashable, Sendable {
  package var name: String
  /// Empty: it has none.
  package var version: String
  /// Whether only those who ask for this very version get it (`name@V`, not `name@@V`).
  package var isHidden: Bool
  /// Whether the image only has the address of its stub for another's function, as executables that
  /// are not position independent do: who asks for an address gets that, who calls does not.
  package var isStub: Bool

  package init(name: String, version: String = "", isHidden: Bool = false, isStub: Bool = false) {
    self.name = name
    self.version = version
    self.isHidden = isHidden
    self.isStub = isStub
  }
}

/// A symbol that the loader looks up for an image.
package struct SymbolReference: Hashable, Sendable {
  package var name: String
  /// Empty: any will do.
  package var version: String
  /// Whether it may be missing.
  package var isWeak: Bool
  /// Whether the image itself does not define it. Of those that it does define, another image may
  /// take the place.
  package var isUndefined: Bool
  /// Empty: no relocation names it, and nothing is looked up.
  package var uses: Uses

  /// What relocations do with it; each kind is looked up for itself.
  package struct Uses: OptionSet, Hashable, Sendable {
    package var rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Called: looked up with the first call, unless all is bound at start.
    package static let call = Uses(rawValue: 1)
    /// Its address is taken, or it is thread-local.
    package static let address = Uses(rawValue: 2)
    /// The executable gets a copy of the library's variable.
    package static let copy = Uses(rawValue: 4)
  }

  package init(
    name: String, version: String = "", isWeak: Bool = false, isUndefined: Bool = true,
    uses: Uses = .call
  ) {
    self.name = name
    self.version = version
    self.isWeak = isWeak
    self.isUndefined = isUndefined
    self.uses = uses
  }
}
