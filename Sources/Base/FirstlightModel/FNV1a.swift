/// The 64-bit hash FNV-1a (Fowler, Noll and Vo). Use it to compare contents that no attacker chooses.
package enum FNV1a {
  /// The hash of no bytes.
  @inlinable package static var basis: UInt64 { 0xcbf2_9ce4_8422_2325 }

  /// The hash of some bytes and one more.
  @inlinable package static func hash(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
    (hash ^ UInt64(byte)) &* 0x100_0000_01b3
  }

  @inlinable package static func hash(of bytes: some Sequence<UInt8>) -> UInt64 {
    var result = basis
    for byte in bytes { result = hash(result, byte) }
    return result
  }

  /// For large contents: the generic function is not specialized in other modules.
  package static func hash(of bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBufferPointer { hash(of: $0) }
  }
}
