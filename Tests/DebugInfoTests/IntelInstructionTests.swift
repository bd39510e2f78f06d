import Testing

@testable import DebugInfo

/// The oracles are llvm-objdump, which shows where instructions begin, and nm, which shows their targets.
@Suite struct IntelInstructionTests {
  private static let source = """
    .text
    .globl _start
    _start: call forward
    jmp forward
    je forward
    jmp next
    next: lea forward(%rip), %rdi
    lea forward(%rip), %r9
    mov slot(%rip), %rdi
    mov slot(%rip), %r12
    mov $0x401234, %edi
    mov $0x401234, %r10d
    movq $0x401234, %rdi
    mov %rdi, %rsi
    mov %r8, %rdi
    push %rbp
    xor %eax, %eax
    mov 8(%rsp), %rdi
    ret
    .space 0x200
    forward: ret
    .data
    slot: .quad 0
    """

  @Test func itsTargetsAndRegistersAreThoseOfTheAssembler() throws {
    let tools = try Toolbox()
    try tools.write(Self.source, to: "code.s")
    try tools.run("clang", "--target=x86_64-linux-gnu", "-c", "code.s", "-o", "code.o")
    try tools.run("ld.lld", "code.o", "-o", "code")
    var places: [String: UInt64] = [:]
    for line in try tools.run("nm", "code").split(separator: "\n") {
      let words = line.split(separator: " ")
      places[String(words[2])] = UInt64(words[0], radix: 16)
    }
    let (forward, slot) = try (#require(places["forward"]), #require(places["slot"]))
    let expected: [String?] = [
      "call(\(forward))", "jump(\(forward))", "branch(\(forward))",
      "branch(\(try #require(places["next"])))", "address(\(forward), into: 7)",
      "address(\(forward), into: 9)", "load(at: \(slot), into: 7)", "load(at: \(slot), into: 12)",
      "immediate(4198964, into: 7)", "immediate(4198964, into: 10)", "immediate(4198964, into: 7)",
      "move(from: 7, into: 6)", "move(from: 8, into: 7)", nil, nil, nil, nil,
    ]
    let elf = try DebugImage(path: tools.path("code"), debugDirectories: []).elf
    let section = try #require(elf.section(".text"))
    let code = elf.contents(section)
    let starts = try tools.run("llvm-objdump", "-d", "--no-show-raw-insn", "code")
      .split(separator: "\n").compactMap { line in
        line.hasPrefix(" ") ? line.split(separator: ":").first : nil
      }.compactMap { UInt64($0.drop { $0 == " " }, radix: 16) }
    try #require(starts.count > expected.count)
    for (index, text) in expected.enumerated() {
      let offset = Int(starts[index] - section.address)
      let first = try #require(code.load(offset, as: UInt8.self))
      let opcode = first & 0xf0 == 0x40 ? offset + 1 : offset
      let found = IntelInstruction(code, at: opcode, start: section.address)
      #expect(found.map { "\($0.operation)" } == text, "instruction \(index)")
      guard let found else { continue }
      #expect(opcode + found.size == Int(starts[index + 1] - section.address))
      #expect(found.isWide == (first & 0xf8 == 0x48), "instruction \(index)")
      // Cut off, it is none.
      let part = Bytes(base: code.base, count: opcode + found.size - 1)
      #expect(IntelInstruction(part, at: opcode, start: section.address) == nil)
    }
  }
}
