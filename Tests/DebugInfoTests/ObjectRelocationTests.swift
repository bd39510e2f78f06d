import Foundation
import Testing

@testable import DebugInfo

/// Relocated debug sections, against those that a linker writes for the same addresses of code.
@Suite struct ObjectRelocationTests {
  private let assembly = """
    .text
    nop
    local: ret
    .globl global
    global: ret
    .section .debug_test,"",%progbits
    .quad local
    .quad global+8
    .long local
    .long global+0x7000
    .quad global-.
    .long local-.
    .long .Lhere+1
    .Lhere: .byte 7
    .long global-.-3
    """

  @Test(arguments: ["x86_64-linux-gnu", "aarch64-linux-gnu"])
  func bytesAreThoseOfTheLinker(target: String) throws {
    let tools = try Toolbox()
    try tools.write(assembly + "\n", to: "test.s")
    try tools.run("clang", "--target=\(target)", "-c", "test.s", "-o", "test.o")
    let kinds = try tools.run("readelf", "-rW", "test.o")
    let wanted =
      target.hasPrefix("x86")
      ? ["64", "32", "PC64", "PC32"] : ["ABS64", "ABS32", "PREL64", "PREL32"]
    for kind in wanted { #expect(kinds.contains("_\(kind) ")) }
    try tools.run("ld.lld", "--image-base=0", "-Ttext=0", "-e", "global", "test.o", "-o", "linked")
    try tools.run("llvm-objcopy", "--dump-section", ".debug_test=expected", "linked")
    let expected = try Data(contentsOf: URL(fileURLWithPath: tools.path("expected")))
    #expect(expected.count == 45)
    let object = try ObjectFile(path: tools.path("test.o"))
    #expect(object.problems == [])
    let section = try #require(object.elf.section(".debug_test"))
    let bytes = object.elf.contents(section)
    #expect(Data(bytes: bytes.base, count: bytes.count) == expected)
  }

  @Test func unknownKindsAreCounted() throws {
    let tools = try Toolbox()
    try tools.write(
      ".text\nf: ret\n.section .debug_test,\"\",@progbits\n.word f\n.byte f\n.long f\n",
      to: "test.s")
    try tools.run("clang", "--target=x86_64-linux-gnu", "-c", "test.s", "-o", "test.o")
    let object = try ObjectFile(path: tools.path("test.o"))
    #expect(object.problems.count == 1)
    #expect(object.problems.first?.contains("2 relocations of unknown kinds") == true)
  }

  /// Past 65,279 sections their number, and those of symbols, stand elsewhere.
  @Test func anObjectMayHaveVeryManySections() throws {
    let tools = try Toolbox()
    let functions = (0..<66_000).map {
      ".section .text.f\($0),\"ax\",@progbits\n.type f\($0),@function\nf\($0): nop\nret\n"
        + ".size f\($0),2\n"
    }
    try tools.write(functions.joined(), to: "many.s")
    try tools.run("clang", "--target=x86_64-linux-gnu", "-c", "many.s", "-o", "many.o")
    let image = try DebugImage(path: tools.path("many.o"), debugDirectories: [], objects: true)
    #expect(image.functionSymbols.map(\.name) == (0..<66_000).map { "f\($0)" })
    #expect(try image.address(of: ".text.f65999", offset: 1) == 65_999 * 2 + 1)
    #expect(try image.address(of: "f65999", offset: 1) == 65_999 * 2 + 1)
  }
}
