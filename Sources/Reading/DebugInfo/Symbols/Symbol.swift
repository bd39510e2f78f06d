/// One name of one function in an image's symbol table.
public struct Symbol: Hashable, Sendable {
  /// The name the linker knows.
  public var name: String
  /// Link-time address.
  public var address: UInt64
  /// Bytes; 0 if the symbol table doesn't say.
  public var size: UInt64
  /// Whether the name is local to one object file.
  public var isLocal: Bool
  /// Whether another definition would have overridden this one.
  public var isWeak: Bool

  public init(name: String, address: UInt64, size: UInt64, isLocal: Bool, isWeak: Bool) {
    self.name = name
    self.address = address
    self.size = size
    self.isLocal = isLocal
    self.isWeak = isWeak
  }
}
