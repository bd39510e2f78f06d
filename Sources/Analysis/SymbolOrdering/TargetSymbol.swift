/// A function symbol of the binary that is to be linked.
public struct TargetSymbol: Hashable, Sendable {
  public var name: String
  /// Link-time address.
  public var address: UInt64
  /// Bytes; 0 if the symbol table doesn't say.
  public var size: UInt64
  /// Whether the name is local to one object file, so that others may have it too.
  public var isLocal: Bool

  public init(name: String, address: UInt64, size: UInt64, isLocal: Bool) {
    self.name = name
    self.address = address
    self.size = size
    self.isLocal = isLocal
  }
}
