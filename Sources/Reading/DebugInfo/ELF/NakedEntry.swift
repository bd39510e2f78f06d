/// The way in which gcc's naked functions reach their call of the entry hook, on x86-64: they only load its arguments.
/// All other functions save registers or align the stack before.
enum NakedEntry {
  /// Whether the code before an offset does nothing else.
  static func leads(to offset: Int, in code: Bytes) -> Bool {
    var at = 0
    while at < offset {
      let rest = UnsafeRawBufferPointer(start: code.base + at, count: offset - at)
      guard let size = instructions.first(where: { $0.matches(rest) })?.size else { return false }
      at += size
    }
    return at == offset
  }

  /// The first bytes of an instruction, each with the bits that count.
  private struct Instruction {
    let bytes: [(value: UInt8, mask: UInt8)]
    let size: Int

    init(_ size: Int, _ bytes: (value: UInt8, mask: UInt8)...) {
      (self.size, self.bytes) = (size, bytes)
    }

    func matches(_ code: UnsafeRawBufferPointer) -> Bool {
      code.count >= size && zip(bytes, code).allSatisfy { $1 & $0.mask == $0.value }
    }
  }

  private static let instructions = [
    // endbr64
    Instruction(4, (0xf3, 0xff), (0x0f, 0xff), (0x1e, 0xff), (0xfa, 0xff)),
    // The return address: mov 8(%rsp), %register; mov 8(%rbp), %register
    Instruction(5, (0x48, 0xfb), (0x8b, 0xff), (0x44, 0xc7), (0x24, 0xff), (0x08, 0xff)),
    Instruction(4, (0x48, 0xfb), (0x8b, 0xff), (0x45, 0xc7), (0x08, 0xff)),
    // The function's address: lea distance(%rip), %register; mov slot(%rip), %register; mov $address, %register
    Instruction(7, (0x48, 0xfb), (0x8d, 0xff), (0x05, 0xc7)),
    Instruction(7, (0x48, 0xfb), (0x8b, 0xff), (0x05, 0xc7)),
    Instruction(5, (0xb8, 0xf8)),
    Instruction(6, (0x41, 0xff), (0xb8, 0xf8)),
    Instruction(7, (0x48, 0xfe), (0xc7, 0xff), (0xc0, 0xf8)),
    // mov %register, %register
    Instruction(3, (0x48, 0xf8), (0x89, 0xff), (0xc0, 0xc0)),
  ]
}
