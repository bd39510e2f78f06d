/// An instruction of x86-64 that calls, jumps, or leads to an address (Intel 64 manual, volume 2).
///
/// The bytes that look like one may also be part of another instruction: nothing shows where instructions begin.
struct IntelInstruction {
  enum Operation {
    case call(UInt64)
    case jump(UInt64)
    /// A conditional or short jump.
    case branch(UInt64)
    /// `lea distance(%rip), %register`
    case address(UInt64, into: Int)
    /// `mov $address, %register`, in programs at a fixed address
    case immediate(UInt64, into: Int)
    /// `mov slot(%rip), %register`
    case load(at: UInt64, into: Int)
    /// `mov %register, %register`
    case move(from: Int, into: Int)
  }

  let operation: Operation
  /// Bytes from the opcode on.
  let size: Int
  /// Whether the byte before the opcode makes the operands 64 bits wide (REX.W).
  let isWide: Bool

  /// Nil for all other instructions, and for one that the code cuts off.
  ///
  /// - Parameters:
  ///   - offset: the place of the opcode; its prefix is the byte before.
  ///   - start: the link-time address of the code.
  @inline(__always)
  init?(_ code: Bytes, at offset: Int, start: UInt64) {
    func byte(_ place: Int) -> UInt8 { (code.base + place).load(as: UInt8.self) }
    guard offset + 2 <= code.count else { return nil }
    let (first, second) = (byte(offset), byte(offset + 1))
    // The size up to an operand, and the operand's.
    var (head, operand) = (2, 4)
    switch first {
    case 0xe8, 0xe9, 0xb8...0xbf: head = 1
    case 0xeb, 0x70...0x7f: (head, operand) = (1, 1)
    case 0x0f where 0x80...0x8f ~= second: break
    case 0x8d where second & 0xc7 == 0x05: break
    case 0xc7 where second & 0xf8 == 0xc0: break
    case 0x8b where second & 0xc7 == 0x05: break
    case 0x89, 0x8b:
      guard second & 0xc0 == 0xc0 else { return nil }
      operand = 0
    default: return nil
    }
    size = head + operand
    guard offset + size <= code.count else { return nil }
    let prefix = offset > 0 ? byte(offset - 1) : 0
    isWide = prefix & 0xf8 == 0x48
    // Registers, with the bits that a prefix adds.
    let extended = prefix & 0xf0 == 0x40 ? prefix : 0
    let register = Int(second >> 3 & 7 | (extended & 4) << 1)
    let other = Int(second & 7 | (extended & 1) << 3)
    if operand == 0 {
      operation =
        first == 0x89 ? .move(from: register, into: other) : .move(from: other, into: register)
      return
    }
    let value =
      operand == 1
      ? Int64((code.base + (offset + 1)).load(as: Int8.self))
      : Int64((code.base + (offset + head)).loadUnaligned(as: Int32.self))
    let reached = start &+ UInt64(offset + size) &+ UInt64(bitPattern: value)
    operation =
      switch first {
      case 0xe8: .call(reached)
      case 0xe9: .jump(reached)
      case 0x8d: .address(reached, into: register)
      case 0x8b: .load(at: reached, into: register)
      case 0xb8...0xbf:
        .immediate(
          UInt64(UInt32(truncatingIfNeeded: value)), into: Int(first & 7 | (extended & 1) << 3))
      case 0xc7: .immediate(UInt64(UInt32(truncatingIfNeeded: value)), into: other)
      default: .branch(reached)
      }
  }
}
