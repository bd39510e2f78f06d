import FirstlightModel

extension DebugImage {
  /// The places in the file of functions at link-time addresses; nil where the file has none, and where
  /// the kernel's probes would harm the program.
  package func probePlaces(of addresses: [UInt64]) -> [UInt64?] {
    addresses.map { address in
      elf.fileOffset(of: address).flatMap { isMistaken($0) ? nil : $0 }
    }
  }

  /// Whether Linux (6.18) runs an instruction under a probe wrongly, or replaces more than its first byte.
  private func isMistaken(_ offset: UInt64) -> Bool {
    // An instruction has 15 bytes at most; a file may end before.
    let bytes = elf.file.bytes
    guard architecture == "x86_64", let code = bytes.slice(offset, 16) ?? bytes.slice(offset, 8)
    else { return false }
    return MistakenInstruction.begins(UnsafeRawBufferPointer(start: code.base, count: code.count))
  }
}

/// Instructions of x86-64 that the kernel does not tell from others of the same opcode byte
/// (`branch_setup_xol_ops`, `riprel_analyze` and `arch_uprobe_analyze_insn` in arch/x86/kernel/uprobes.c), or that it
/// replaces by more than a breakpoint (`can_optimize`).
private enum MistakenInstruction {
  static func begins(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // Only no-ops have so many prefixes.
    guard let start = bytes.firstIndex(where: { !legacyPrefixes.contains($0) }) else { return true }
    guard start + 4 < bytes.count else { return false }
    // `xchg %rax, %r8`, with which Go's write barrier begins: without the last bit of its REX prefix, `nop`.
    if bytes[start] & 0xf1 == 0x41, bytes[start + 1] == 0x90 { return true }
    let plain = bytes[start] & 0xf0 == 0x40 ? start + 1 : start
    if isStepWrong(bytes[plain], bytes[plain + 1]) || isReplaced(bytes, plain) { return true }
    switch bytes[start] {
    // AVX, AVX-512.
    case 0xc5: return isBranch(bytes[start + 2])
    case 0xc4: return isBranch(bytes[start + 3])
    case 0x62: return isBranch(bytes[start + 4])
    // APX: the kernel takes the prefix for REX, and breaks it where the address is relative to the instruction.
    case 0xd5: return isBranch(bytes[start + 2]) || bytes[start + 3] & 0xc7 == 5
    // XOP: the kernel takes it for `pop`, and so a relative address for one on the stack.
    case 0x8f: return bytes[start + 1] & 0x1f >= 8
    default: return false
    }
  }

  /// Sizes of operands and addresses, segments, and repetition.
  private static let legacyPrefixes: Set<UInt8> = [
    0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf2, 0xf3,
  ]
  /// `nop`, far calls and jumps, `popf`, `ret`, `call`, `jmp`, and those of group 5.
  private static let branches: Set<UInt8> = [
    0x90, 0x9a, 0x9d, 0xc2, 0xc3, 0xca, 0xcb, 0xe8, 0xe9, 0xea, 0xeb, 0xff,
  ]

  /// Whether the kernel takes a vector instruction of this opcode for one that changes the flow; 0x70 to 0x7f are
  /// conditional jumps.
  private static func isBranch(_ opcode: UInt8) -> Bool {
    (0x70...0x7f).contains(opcode) || branches.contains(opcode)
  }

  /// Whether a single step runs the instruction wrongly: `pushf` shows the single-step flag to the program, `popf` may
  /// set it, and the kernel corrects the address after `syscall` twice.
  private static func isStepWrong(_ first: UInt8, _ second: UInt8) -> Bool {
    first == 0x9c || first == 0x9d || (first == 0x0f && second == 0x05)
  }

  /// Whether the kernel replaces the instruction as a no-op. Linux 6.18 puts a call in the place of a no-op of five
  /// bytes. The call writes to the stack below the frame, where leaf functions keep data, and makes a system call.
  /// Later versions take more forms of five bytes, those of ten, and a jump over eight.
  private static func isReplaced(_ bytes: UnsafeRawBufferPointer, _ opcode: Int) -> Bool {
    func zeros(_ range: Range<Int>) -> Bool {
      range.upperBound <= bytes.count && bytes[range].allSatisfy { $0 == 0 }
    }
    switch (bytes[opcode], bytes[opcode + 1]) {
    case (0x0f, 0x1f): return true
    case (0x90, _): return opcode >= 4
    case (0xeb, 8): return true
    case (0xe9, _): return zeros(opcode + 1..<opcode + 5)
    // `lea` of a register into itself.
    case (0x8d, 0x40...0x7f):
      let displacement = bytes[opcode + 1] & 7 == 4 ? opcode + 3 : opcode + 2
      return zeros(displacement..<displacement + 1)
    default: return false
    }
  }
}
