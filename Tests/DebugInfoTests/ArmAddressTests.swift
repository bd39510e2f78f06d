import Testing

@testable import DebugInfo

/// The oracle is llvm-objdump, which shows each instruction's bits and address.
@Suite struct ArmAddressTests {
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
    var branches = 0
    var loads = 0
    for line in try tools.run("llvm-objdump", "-d", "code").split(separator: "\n") {
      // "  210000: 14002008     \tb\t0x218020 <forward>"
      let words = line.split { $0.isWhitespace || $0 == "," || $0 == ":" }
      guard words.count > 2, let place = UInt64(words[0], radix: 16),
        let word = UInt32(words[1], radix: 16)
      else { continue }
      let shown = words.last { $0.hasPrefix("0x") }.flatMap { UInt64($0.dropFirst(2), radix: 16) }
      let isBranch = words[2] == "b" || words[2] == "bl"
      #expect(ArmAddress.ofBranch(word, at: place) == (isBranch ? shown : nil), "\(line)")
      if isBranch { #expect(ArmAddress.isCall(word) == (words[2] == "bl"), "\(line)") }
      let loaded = ArmAddress.loaded(word, at: place)
      #expect(loaded?.address == (words[2].hasPrefix("adr") ? shown : nil), "\(line)")
      if let loaded { #expect(loaded.isPage == (words[2] == "adrp"), "\(line)") }
      branches += isBranch ? 1 : 0
      loads += loaded == nil ? 0 : 1
    }
    #expect(branches == 6 && loads == 7)
  }
}
