import Testing

@testable import DebugInfo

/// The oracle is llvm-objdump, which shows each instruction's address and target.
@Suite struct CodeReferenceTests {
  private static let source = """
    .text
    .globl _start
    _start: b forward
    bl forward
    b.eq forward
    cbz x1, forward
    adr x1, forward
    adr x30, _start
    adrp x0, forward
    adrp x29, _start
    adrp x16, far
    add x0, x0, :lo12:forward
    ret
    .space 0x8000
    forward: b _start
    bl _start
    adr x2, _start
    nop
    .section .far,"ax"
    far: bl _start
    b forward
    adrp x3, _start
    """

  @Test func theyAreThoseThatObjdumpShows() throws {
    let tools = try Toolbox()
    try tools.write(Self.source, to: "code.s")
    try tools.run("clang", "--target=aarch64-linux-gnu", "-c", "code.s", "-o", "code.o")
    try tools.run(
      "ld.lld", "--section-start=.text=0x210000", "--section-start=.far=0x1230000", "code.o", "-o",
      "code")
    let elf = try DebugImage(path: tools.path("code"), debugDirectories: []).elf
    var found: [UInt64: CodeReferences.Reference] = [:]
    for section in elf.sections where section.hasCode {
      CodeReferences(elf.contents(section), at: section.address, elf).visit {
        found[$0.place.lowerBound] = $0
        return true
      }
    }
    let names = try tools.run("nm", "code").split(separator: "\n")
    let forward = try #require(
      names.first { $0.hasSuffix(" forward") }.flatMap { UInt64($0.prefix(16), radix: 16) })
    var shown = 0
    for line in try tools.run("llvm-objdump", "-d", "code").split(separator: "\n") {
      // "  210000: 14002008     \tb\t0x218020 <forward>"
      let words = line.split { $0.isWhitespace || $0 == "," || $0 == ":" }
      guard words.count > 2, let place = UInt64(words[0], radix: 16) else { continue }
      let kinds: [Substring: CodeReferences.Kind] = [
        "b": .jump, "bl": .call, "adr": .load, "add": .load,
      ]
      let target = words.last { $0.hasPrefix("0x") }.flatMap {
        UInt64($0.dropFirst(2), radix: 16)
      }
      #expect(found[place]?.kind == kinds[words[2]], "\(line)")
      #expect(
        found[place]?.target
          == kinds[words[2]].flatMap { _ in
            words[2] == "add" ? forward : target
          }, "\(line)")
      shown += found[place] == nil ? 0 : 1
    }
    #expect(shown == 10 && found.count == shown)
  }
}
