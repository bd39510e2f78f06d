/// A function symbol of the binary that is to be linked.
package struct TargetSymbol: Hashable, Sendable {
  package var name: String
  /// Link-time address.
  package var address: UInt64
  /// Bytes; 0 if the symbol table doesn't say.
  package var size: UInt64
  /// Whether the name is local to one object file, so that others may have it too.
  package var isLocal: Bool

  package init(name: String, address: UInt64, size: UInt64, isLocal: Bool) {
    self.name = name
    self.address = address
    self.size = size
    self.isLocal = isLocal
  }
}
