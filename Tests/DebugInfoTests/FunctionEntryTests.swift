import DebugInfo
import FirstlightModel
import Testing

/// Where breakpoints may be written: at the beginnings of functions and nowhere else.
@Suite struct FunctionEntryTests {
  @Test func entriesAreTheFunctionsThatReadelfLists() throws {
    let tools = try Toolbox()
    try tools.buildSwift("shapes", ["-Onone"])
    let image = try DebugImage(path: tools.path("shapes"))
    let entries = image.functionEntries
    let listed = try Self.listedFunctions(tools, "shapes")
    #expect(entries.unnamed == 0)
    #expect(Set(entries.addresses) == listed)
    #expect(entries.addresses == Array(Set(entries.addresses)).sorted())
    let build = image.symbolBuild(recordedPath: "/recorded")
    #expect(build.recorder == .breakpoints)
    #expect(build.guarded.map(\.address) == entries.addresses)
    #expect(build.entryGuards == (0..<UInt32(entries.addresses.count)).map { $0 })
    #expect(build.guardCount == entries.addresses.count)
  }

  @Test func labelsResolversAndDataAreLeftAlone() throws {
    let tools = try Toolbox()
    try tools.write(
      """
      #include <string.h>
      static int one(void) { return 1; }
      static int (*resolve(void))(void) { return one; }
      int chosen(void) __attribute__((ifunc("resolve")));
      __asm__(
          ".text\\n.globl outer\\n.type outer, @function\\nouter: nop\\n"
          ".type within, @function\\nwithin: nop\\n ret\\n.size outer, . - outer\\n"
          ".type untyped_label, @notype\\nuntyped_label: ret\\n"
          ".data\\n.type in_data, @function\\nin_data: .long 0\\n.size in_data, 4\\n.text\\n");
      int original(void) { return 2; }
      int alias(void) __attribute__((alias("original")));
      void outer(void);
      int main(int count, char **arguments) {
        outer();
        return chosen() + original() + (int)strlen(arguments[count - 1]);
      }
      """, to: "program.c")
    try tools.run("clang", "-O0", "-g", "program.c", "-o", "program", "-fuse-ld=lld")
    let build = try DebugImage(path: tools.path("program")).symbolBuild(recordedPath: "program")
    let names = build.guarded.flatMap { [$0.name] + $0.aliases }
    for wanted in ["main", "one", "original", "alias", "outer"] { #expect(names.contains(wanted)) }
    for unwanted in ["chosen", "resolve", "within", "untyped_label", "in_data"] {
      #expect(!names.contains(unwanted))
    }
    #expect(build.guarded.count { $0.name == "original" || $0.name == "alias" } == 1)
  }

  /// Linux runs `xchg %rax, %r8` as `nop` under a probe, and `vpbroadcastb`, with which a `strchr` of glibc begins,
  /// as a jump. Linux 6.18 replaces a no-op of five bytes by a call.
  @Test func theKernelsProbesAreKeptFromInstructionsThatItRunsWrongly() throws {
    let tools = try Toolbox()
    let instructions = [
      ("swaps", "xchg %rax, %r8"), ("swaps_half", "xchg %eax, %r8d"),
      ("swaps_short", "xchg %ax, %r8w"),
      ("swaps_next", "xchg %rax, %r9"), ("waits", "nop"), ("waits_long", "data16 nop"),
      ("spreads", "vpbroadcastb %esi, %ymm17"), ("shuffles", "vpshufd $1, %xmm0, %xmm1"),
      ("subtracts", "vpsubsb %ymm1, %ymm2, %ymm3"), ("compares", "vcmpps $0, %xmm9, %xmm1, %xmm2"),
      ("multiplies", "vfnmadd132ss %xmm0, %xmm1, %xmm2"), ("clears", "vxorps %xmm0, %xmm0, %xmm0"),
      ("loads", "vmovdqu64 (%rdi), %ymm18"), ("jumps", "jp main"),
      ("swaps_odd", ".byte 0x66, 0x66, 0x49, 0x90"), ("saves", "pushfq"), ("enters", "syscall"),
      ("calls", "call *%rax"),
      ("padded", ".byte 0x0f, 0x1f, 0x44, 0, 0"),
      ("padded_other", ".byte 0x66, 0x0f, 0x1f, 0x40, 0"),
      ("padded_short", ".byte 0x66, 0x66, 0x66, 0x66, 0x90"),
      ("padded_ten", ".byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0"),
      ("padded_prefixes", ".byte 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90"),
      ("padded_jump", ".byte 0xe9, 0, 0, 0, 0"), ("padded_lea", ".byte 0x48, 0x8d, 0x74, 0x26, 0"),
      ("padded_over", ".byte 0xeb, 8, 0, 0, 0, 0, 0, 0, 0, 0"),
      ("xop", ".byte 0x8f, 0xe8, 0x78, 0xc2, 5, 0, 0, 0, 0, 1"),
      ("extended", ".byte 0xd5, 0x19, 0x8b, 5, 0, 0, 0, 0"),
      ("adds", "lea 8(%rsi), %rsi"), ("pushes_extended", ".byte 0xd5, 8, 0x55"),
      ("jumps_on", "jmp main"), ("pops", ".byte 0x8f, 0xc0"), ("branches", "endbr64"),
    ]
    try tools.write(
      instructions.map { name, code in
        ".globl \(name)\n.type \(name), @function\n"
          + "\(name): \(code)\n ret\n.size \(name), . - \(name)\n"
      }.joined() + ".globl main\n.type main, @function\nmain: ret\n.size main, . - main\n",
      to: "program.s")
    try tools.run(
      "clang", "--target=x86_64-linux-gnu", "-shared", "-nostdlib", "program.s", "-o", "program",
      "-fuse-ld=lld")
    let image = try DebugImage(path: tools.path("program"))
    let symbols = image.symbols.all
    let places = image.probePlaces(of: symbols.map(\.address))
    let refused = zip(symbols, places).filter { $0.1 == nil }.map(\.0.name)
    #expect(
      Set(refused) == [
        "swaps", "swaps_half", "swaps_short", "spreads", "shuffles", "subtracts", "compares",
        "multiplies", "swaps_odd", "saves", "enters", "padded", "padded_other", "padded_short",
        "padded_ten", "padded_prefixes", "padded_jump", "padded_lea", "padded_over", "xop",
        "extended",
      ])
    #expect(symbols.count == instructions.count + 1)
  }

  @Test func aStrippedFileHasThoseOfItsUnwindTables() throws {
    let tools = try Toolbox()
    try tools.buildC("program", ["-O0", "-fuse-ld=lld"])
    let whole = try DebugImage(path: tools.path("program")).functionEntries
    try tools.run("objcopy", "--strip-all", "program")
    let image = try DebugImage(path: tools.path("program"))
    let entries = image.functionEntries
    // The oracle: "... FDE cie=... pc=0000000000001730..0000000000001756".
    let listed = Set(
      try tools.run("readelf", "--debug-dump=frames", "program").split(separator: "\n").compactMap {
        line in
        line.range(of: " pc=").flatMap { UInt64(line[$0.upperBound...].prefix(16), radix: 16) }
      })
    #expect(Set(entries.addresses).isSubset(of: listed))
    #expect(listed.intersection(whole.addresses).isSubset(of: Set(entries.addresses)))
    #expect(entries.unnamed == entries.addresses.count && entries.unnamed >= 4)
    let build = image.symbolBuild(recordedPath: "program")
    #expect(
      build.guarded.allSatisfy {
        $0.name == "" && $0.demangledName == "fn_\(String($0.address!, radix: 16))" && $0.size > 0
      })
  }

  /// Addresses of sized functions, by readelf: "12: 0000000000001730 38 FUNC GLOBAL DEFAULT 14 main";
  /// of those without size, the ones that start or end a program.
  private static func listedFunctions(_ tools: Toolbox, _ name: String) throws -> Set<UInt64> {
    var addresses: Set<UInt64> = []
    for line in try tools.run("readelf", "-sW", name).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 8, words[3] == "FUNC", words[6] != "UND" else { continue }
      addresses.insert(UInt64(words[1], radix: 16)!)
    }
    return addresses
  }
}
