extension DebugImage {
  /// The places in the file of functions at link-time addresses; nil where the file has none, and where
  /// the kernel's probes would harm the program.
  package func probePlaces(of addresses: [UInt64]) -> [UInt64?] {
    addresses.map { address in
      elf.fileOffset(of: address).flatMap { isMistaken($0) ? nil : $0 }
    }
  }

  /// Whether Linux (6.18) mistakes an instruction under a probe for another one, and so runs it wrongly.
  private func isMistaken(_ offset: UInt64) -> Bool {
    guard architecture == "x86_64", let code = elf.file.bytes.slice(offset, 8) else { return false }
    return MistakenInstruction.begins(UnsafeRawBufferPointer(start: code.base, count: code.count))
  }
}

/// Instructions of x86-64 that the kernel does not tell from others of the same opcode byte
/// (`branch_setup_xol_ops` and `arch_uprobe_analyze_insn` in arch/x86/kernel/uprobes.c).
private enum MistakenInstruction {
  static func begins(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let start = bytes.firstIndex { !legacyPrefixes.contains($0) } ?? 0
    guard start + 4 < bytes.count else { return false }
    // `xchg %rax, %r8`, with which Go's write barrier begins: without the last bit of its REX prefix, `nop`.
    if bytes[start] & 0xf1 == 0x41, bytes[start + 1] == 0x90 { return true }
    let plain = bytes[start] & 0xf0 == 0x40 ? start + 1 : start
    if isStepWrong(bytes[plain], bytes[plain + 1]) { return true }
    guard let opcode = vectorOpcode(bytes, start) else { return false }
    return (0x70...0x7f).contains(opcode) || legacyOpcodes.contains(opcode)
  }

  /// Sizes of operands and addresses, segments, and repetition.
  private static let legacyPrefixes: Set<UInt8> = [
    0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf2, 0xf3,
  ]
  /// `nop`, far calls and jumps, `popf`, `ret`, `call`, `jmp`, and those of group 5. The kernel takes 0x70 to 0x7f for
  /// conditional jumps.
  private static let legacyOpcodes: Set<UInt8> = [
    0x90, 0x9a, 0x9d, 0xc2, 0xc3, 0xca, 0xcb, 0xe8, 0xe9, 0xea, 0xeb, 0xff,
  ]

  /// Whether single steps run it wrongly: `pushf` shows the flag of single steps to the program, `popf` may set it,
  /// and the kernel corrects the address behind `syscall` twice.
  private static func isStepWrong(_ first: UInt8, _ second: UInt8) -> Bool {
    first == 0x9c || first == 0x9d || (first == 0x0f && second == 0x05)
  }

  /// The opcode behind a prefix of AVX, AVX-512, XOP or APX; nil: there is none.
  private static func vectorOpcode(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> UInt8? {
    switch bytes[start] {
    case 0xc5, 0xd5: bytes[start + 2]
    case 0xc4: bytes[start + 3]
    case 0x8f where bytes[start + 1] & 0x1f >= 8: bytes[start + 3]
    case 0x62: bytes[start + 4]
    default: nil
    }
  }
}
