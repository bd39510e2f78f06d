/// The addresses in instructions of aarch64 (Arm Architecture Reference Manual, C6.2).
enum ArmAddress {
  /// The target of `b` or `bl`; nil for other instructions.
  static func ofBranch(_ word: UInt32, at place: UInt64) -> UInt64? {
    guard word & 0x7c00_0000 == 0x1400_0000 else { return nil }
    return place &+ UInt64(bitPattern: Int64(Int32(bitPattern: word << 6) >> 6) * 4)
  }

  /// Whether a branch is `bl`, a call.
  static func isCall(_ word: UInt32) -> Bool { word >> 31 == 1 }

  /// The address that `adr` loads, or the page that `adrp` loads; nil for other instructions.
  static func loaded(_ word: UInt32, at place: UInt64) -> (address: UInt64, isPage: Bool)? {
    guard word & 0x1f00_0000 == 0x1000_0000 else { return nil }
    let distance = Int64(Int32(bitPattern: word << 8) >> 13) << 2 | Int64(word >> 29 & 3)
    guard word >> 31 == 1 else { return (place &+ UInt64(bitPattern: distance), false) }
    return ((place & ~0xfff) &+ UInt64(bitPattern: distance << 12), true)
  }
}
