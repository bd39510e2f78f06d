/// A shared library that a binary needs, and what of it the binary uses.
public struct LibraryUse: Hashable, Sendable {
  /// As `DT_NEEDED` names it.
  public var name: String
  /// Where the loader would find it on this machine; nil: not found.
  public var path: String?
  /// How many symbols the binary itself takes from it.
  public var symbols: Int

  /// Whether the binary itself takes nothing from it. Others that it needs may.
  public var isUnused: Bool { path != nil && symbols == 0 }

  public init(name: String, path: String?, symbols: Int) {
    self.name = name
    self.path = path
    self.symbols = symbols
  }
}
