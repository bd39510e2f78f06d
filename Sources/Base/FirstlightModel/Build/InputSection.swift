/// A section of an object file, where the linker put it.
package struct InputSection: Hashable, Sendable {
  /// Link-time addresses.
  package var addresses: Range<UInt64>
  /// The object file, and its archive if it came from one, as the linker's map names them.
  package var file: String
  /// As in the object file: `.text.main`.
  package var name: String

  package init(addresses: Range<UInt64>, file: String, name: String) {
    self.addresses = addresses
    self.file = file
    self.name = name
  }
}
