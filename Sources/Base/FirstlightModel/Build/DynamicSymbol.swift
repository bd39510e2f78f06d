/// A symbol that one image offers to the others (`.dynsym`, defined).
public struct SymbolDefinition: Hashable, Sendable {
  public var name: String
  /// Empty: it has none.
  public var version: String
  /// Whether only those who ask for this very version get it (`name@V`, not `name@@V`).
  public var isHidden: Bool
  /// Whether the image only has the address of its stub for another's function, as executables that
  /// are not position independent do: who asks for an address gets that, who calls does not.
  public var isStub: Bool

  public init(name: String, version: String = "", isHidden: Bool = false, isStub: Bool = false) {
    self.name = name
    self.version = version
    self.isHidden = isHidden
    self.isStub = isStub
  }
}

/// A symbol that the loader looks up for an image.
public struct SymbolReference: Hashable, Sendable {
  public var name: String
  /// Empty: any will do.
  public var version: String
  /// Whether it may be missing.
  public var isWeak: Bool
  /// Whether the image itself does not define it. Of those that it does define, another image may
  /// take the place.
  public var isUndefined: Bool
  /// Empty: no relocation names it, and nothing is looked up.
  public var uses: Uses

  /// What relocations do with it; each kind is looked up for itself.
  public struct Uses: OptionSet, Hashable, Sendable {
    public var rawValue: UInt8

    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Called: looked up with the first call, unless all is bound at start.
    public static let call = Uses(rawValue: 1)
    /// Its address is taken, or it is thread-local.
    public static let address = Uses(rawValue: 2)
    /// The executable gets a copy of the library's variable.
    public static let copy = Uses(rawValue: 4)
  }

  public init(
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
