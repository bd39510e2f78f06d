import FirstlightModel

/// One name of one function in an image's symbol table.
package struct Symbol: Hashable, Sendable {
  /// The linker's name.
  package var name: String
  /// Link-time address.
  package var address: UInt64
  /// Size in bytes; 0 if the symbol table has none.
  package var size: UInt64
  /// Whether the name is local to one object file.
  package var isLocal: Bool
  /// Whether another definition would have overridden this one.
  package var isWeak: Bool

  package init(name: String, address: UInt64, size: UInt64, isLocal: Bool, isWeak: Bool) {
    self.name = name
    self.address = address
    self.size = size
    self.isLocal = isLocal
    self.isWeak = isWeak
  }
}
