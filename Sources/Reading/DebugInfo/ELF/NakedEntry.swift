/// The way in which gcc's naked functions reach their call of the entry hook, on x86-64: they only load its arguments.
/// All other functions save registers or align the stack before.
enum NakedEntry {
  /// Whether the code before an offset does nothing else.
  static func leads(to offset: Int, in code: Bytes) -> Bool {
    var at = 0
    while at < offset {
      guard let size = argumentSize(Bytes(base: code.base + at, count: offset - at)) else {
        return false
      }
      at += size
    }
    return at == offset
  }

  /// The size of a first instruction that loads an argument, or does nothing; nil for others.
  private static func argumentSize(_ code: Bytes) -> Int? {
    let bytes = UnsafeRawBufferPointer(start: code.base, count: code.count)
    if bytes.starts(with: [0xf3, 0x0f, 0x1e, 0xfa]) { return 4 }  // endbr64
    // The return address: mov 8(%rsp), %register; mov 8(%rbp), %register
    if bytes.count >= 4, bytes[0] & 0xfb == 0x48, bytes[1] == 0x8b {
      if bytes[2] & 0xc7 == 0x45, bytes[3] == 8 { return 4 }
      if bytes.count >= 5, bytes[2] & 0xc7 == 0x44, bytes[3] == 0x24, bytes[4] == 8 { return 5 }
    }
    // The function's address, and moves between registers.
    let opcode = code.count > 0 && bytes[0] & 0xf0 == 0x40 ? 1 : 0
    guard let instruction = IntelInstruction(code, at: opcode, start: 0) else { return nil }
    switch instruction.operation {
    case .address, .load, .move: return instruction.isWide ? opcode + instruction.size : nil
    // The short form loads 64 bits, if it is wide.
    case .immediate:
      return instruction.isWide == (instruction.size == 6) ? opcode + instruction.size : nil
    case .call, .jump, .branch: return nil
    }
  }
}
