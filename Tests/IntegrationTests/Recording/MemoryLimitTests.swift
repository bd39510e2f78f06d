import Foundation
import TestSupport
import Testing

/// Debug information that takes more memory than there may be: one line, a documented exit code.
@Suite(.tags(.compiler)) struct MemoryLimitTests {
  /// One unit with a line table of 900,000 rows, which take libdw some 100 MB: fewer than the limits of
  /// `DebugInfoLimits`, and more than a shell may allow.
  private static let rows = """
    .section .debug_abbrev
    .byte 1, 0x11, 0, 0x11, 1, 0x12, 6, 0x10, 0x17, 0, 0, 0
    .section .debug_info
    .long 24
    .short 4
    .long 0
    .byte 8, 1
    .quad main
    .long 64, 0
    .section .debug_line
    .long 2f - 1f
    1: .short 4
    .long 4f - 3f
    3: .byte 1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0
    .asciz "rows.c"
    .byte 0, 0, 0, 0
    4: .byte 0, 9, 2
    .quad main
    .fill 900000, 1, 0x12
    .byte 2, 64, 0, 1, 1
    2:

    """

  @Test func tooMuchEndsInOneLine() throws {
    let directory = try TemporaryDirectory()
    let program = directory.path("rows")
    try Command.check([
      "clang", "-fuse-ld=lld", try directory.write("int main(void) { return 0; }", to: "main.c"),
      try directory.write(Self.rows, to: "rows.s"), "-o", program,
    ])
    let symbols = try Command.check(["llvm-nm", "--defined-only", program])
    let main = try #require(symbols.split(separator: "\n").first { $0.hasSuffix(" T main") })
    let words = [Toolchain.firstlight, "symbolize", "--binary", program, String(main.prefix(16))]
    #expect(try Command.check(words) == "main\nrows.c:1:0\n\n")
    let limited = try Command.run(["bash", "-c", "ulimit -Sd 90000; exec \"$@\"", "_"] + words)
    #expect(limited.status == 65 && !limited.signalled)
    #expect(limited.output == "")
    #expect(limited.errors.split(separator: "\n").count == 1)
    #expect(
      limited.errors.hasPrefix(
        "firstlight: error: \(program): its debug information takes more memory than "))
  }
}
