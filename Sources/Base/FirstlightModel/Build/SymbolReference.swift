/// A symbol that the loader looks up for an image.
package struct SymbolReference: Hashable, Sendable {
  package var name: String
  /// Empty if any version will do.
  package var version: String
  /// Whether the symbol may be missing.
  package var isWeak: Bool
  /// Whether the image itself lacks a definition. Another image's definition may also replace the
  /// image's own.
  package var isUndefined: Bool
  /// Empty if no relocation refers to the symbol, and the loader never looks it up.
  package var uses: Uses

  /// The kinds of relocation that refer to a symbol; the loader looks up each kind separately.
  package struct Uses: OptionSet, Hashable, Sendable {
    package var rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// A call: looked up at the first call, or at start-up if the image binds at once.
    package static let call = Uses(rawValue: 1)
    /// The address is taken, or the symbol is thread-local.
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
