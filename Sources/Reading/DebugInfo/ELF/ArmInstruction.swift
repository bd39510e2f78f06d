/// An instruction of aarch64 that calls, jumps, or leads to an address (Arm Architecture Reference Manual, C6.2).
enum ArmInstruction {
  /// `b`; `bl` is a call.
  case branch(to: UInt64, isCall: Bool)
  /// `adr`
  case address(UInt64, into: Int)
  /// `adrp`
  case page(UInt64, into: Int)
  /// `add` of a number, such as an address's place in its page.
  case add(UInt64, to: Int, into: Int)
  /// `ldr` of the word at a distance from a register.
  case load(at: UInt64, from: Int, into: Int)
  /// `mov` between registers.
  case move(from: Int, into: Int)

  /// Nil for all other instructions.
  @inline(__always)
  init?(_ word: UInt32, at place: UInt64) {
    let (target, source) = (Int(word & 31), Int(word >> 5 & 31))
    let low = UInt64(word >> 10 & 0xfff)
    if word & 0x7c00_0000 == 0x1400_0000 {
      let distance = Int64(Int32(bitPattern: word << 6) >> 6) * 4
      self = .branch(to: place &+ UInt64(bitPattern: distance), isCall: word >> 31 == 1)
    } else if word & 0x1f00_0000 == 0x1000_0000 {
      let distance = Int64(Int32(bitPattern: word << 8) >> 13) << 2 | Int64(word >> 29 & 3)
      self =
        word >> 31 == 1
        ? .page((place & ~0xfff) &+ UInt64(bitPattern: distance << 12), into: target)
        : .address(place &+ UInt64(bitPattern: distance), into: target)
    } else if word & 0xffc0_0000 == 0x9100_0000 {
      self = .add(low, to: source, into: target)
    } else if word & 0xffc0_0000 == 0xf940_0000 {
      self = .load(at: low * 8, from: source, into: target)
    } else if word & 0xffe0_ffe0 == 0xaa00_03e0 {
      self = .move(from: Int(word >> 16 & 31), into: target)
    } else {
      return nil
    }
  }
}
