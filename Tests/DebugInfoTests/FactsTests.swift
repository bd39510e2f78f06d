import DebugInfo
import FirstlightModel
import Foundation
import Testing

/// What a file says of its start; readelf and nm are the oracles.
@Suite struct FactsTests {
  private static let program = """
    #include <stdio.h>
    volatile int a, b, c;
    volatile int *table[] = {&a, &b, &c, &a, &b, &c};
    const char *const names[] = {"x", "y", "z"};
    __attribute__((constructor(200))) static void early(void) { a = 1; }
    __attribute__((constructor)) static void later(void) { b = 2; }
    static void very_early(void) { c = 3; }
    #ifndef LIBRARY
    __attribute__((section(".preinit_array"), used)) static void (*first)(void) = very_early;
    int main(void) { puts(names[*table[1] % 3]); return 0; }
    #else
    void *keep = very_early;
    #endif
    """

  private func build(_ tools: Toolbox, _ flags: [String]) throws -> BinaryFacts {
    try tools.write(Self.program, to: "p.c")
    try tools.run(["clang", "-O1", "-fuse-ld=lld"] + flags + ["p.c", "-o", "p"])
    return try DebugImage(path: tools.path("p")).facts()
  }

  /// How readobj counts the relocations of each kind; packed ones under their own name. Its form for packed
  /// ones is the same in all versions, readelf's is not.
  private func listed(_ tools: Toolbox) throws -> [TextBytes: Int] {
    var counts: [TextBytes: Int] = [:]
    for line in try tools.run("llvm-readobj", "-r", "p").split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count > 2, words[1].hasPrefix("R_") { counts[words[1], default: 0] += 1 }
    }
    return counts
  }

  @Test(arguments: [
    ["-fPIE", "-pie"], ["-fno-pie", "-no-pie"], ["-fPIE", "-static-pie"],
    ["-fno-pie", "-no-pie", "-static"], ["-fPIC", "-shared", "-DLIBRARY"],
    ["-fPIE", "-pie", "-Wl,-z,pack-relative-relocs"], ["-fPIE", "-pie", "-Wl,-z,now"],
  ])
  func relocationsAreThoseThatReadelfLists(flags: [String]) throws {
    let tools = try Toolbox()
    let facts = try build(tools, flags)
    // llvm-readobj unpacks packed ones and shows them as relative.
    #expect(facts.relocations.counts == (try listed(tools)))
    #expect(!facts.relocations.isDamaged)
    let isPacked = flags.contains { $0.contains("pack") }
    #expect(facts.dynamic.hasPackedRelocations == isPacked)
    #expect(facts.relocations.packed == (isPacked ? facts.relocations.relative : 0))
    #expect(
      facts.isPositionIndependent == (try tools.run("readelf", "-h", "p").contains("DYN (")))
    for table in facts.relocations.tables {
      #expect(try tools.sectionSize("p", table.name) == Int(table.bytes))
    }
  }

  @Test func pagesWrittenToAreThoseOfTheRelocationsPlaces() throws {
    let tools = try Toolbox()
    try tools.write(
      """
      static char pad[1 << 16] = {1};
      void *table[4096] = {[0] = pad, [700] = pad, [1500] = pad, [4000] = pad};
      int main(void) { return table[1] != 0; }
      """, to: "p.c")
    try tools.run("clang", "-fuse-ld=lld", "-fPIE", "-pie", "p.c", "-o", "p")
    let facts = try DebugImage(path: tools.path("p")).facts()
    var pages: Set<UInt64> = []
    for line in try tools.run("llvm-readelf", "-rW", "p").split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 2, words[2].hasPrefix("R_") else { continue }
      pages.insert(try #require(UInt64(words[0], radix: 16)) / 4096)
    }
    #expect(facts.relocations.dirtiedPagesInAll == pages.count)
    #expect(facts.relocations.dirtiedPages[".data"] == 4)
  }

  @Test(arguments: [
    ["-fPIE", "-pie"], ["-fno-pie", "-no-pie"], ["-fPIE", "-pie", "-Wl,-z,pack-relative-relocs"],
    ["-fno-pie", "-no-pie", "-static"],
  ])
  func initializersAreListedInTheOrderInWhichTheyRun(flags: [String]) throws {
    let tools = try Toolbox()
    let facts = try build(tools, flags)
    let lists = facts.initializers.map(\.list)
    #expect(lists.first == ".preinit_array")
    #expect(facts.initializers.first?.name == "very_early")
    let names = facts.initializers.filter { $0.list == ".init_array" }.map(\.name)
    let own = names.filter { ["early", "later"].contains($0) }
    #expect(own == ["early", "later"])
    let size = try #require(try tools.sectionSize("p", ".init_array"))
    #expect(names.count == size / 8)
    let symbols = Set(
      try tools.run("nm", "--defined-only", "p").split(separator: "\n").map { line in
        let words = line.split(separator: " ")
        return "\(words[2]) \(UInt64(words[0], radix: 16)!)"
      })
    for initializer in facts.initializers {
      #expect(symbols.contains("\(initializer.name) \(initializer.address)"))
    }
  }

  @Test func librariesHashTablesAndExportsAreThoseOfTheDynamicSection() throws {
    let tools = try Toolbox()
    var facts = try build(tools, ["-fPIE", "-pie", "-lm", "-Wl,--no-as-needed,-rpath,/a:/b"])
    var text = try tools.run("readelf", "-dW", "p")
    for name in facts.dynamic.needed { #expect(text.contains("Shared library: [\(name)]")) }
    #expect(facts.dynamic.needed.count == text.components(separatedBy: "(NEEDED)").count - 1)
    #expect(facts.dynamic.runPath == ["/a", "/b"])
    #expect(facts.dynamic.hasGNUHash == text.contains("(GNU_HASH)"))
    #expect(facts.dynamic.hasSystemVHash == text.contains("(HASH)"))
    #expect(facts.dynamic.imported.contains("puts"))
    #expect(!facts.dynamic.exported.contains("main"))
    #expect(facts.interpreter?.contains("ld-linux") == true)

    facts = try build(tools, ["-fPIE", "-pie", "-Wl,--hash-style=sysv,--export-dynamic"])
    text = try tools.run("readelf", "-dW", "p")
    #expect(!facts.dynamic.hasGNUHash && facts.dynamic.hasSystemVHash)
    let listed = try tools.run("nm", "-D", "--defined-only", "p").split(separator: "\n")
    #expect(facts.dynamic.exported.count == listed.count)
    #expect(facts.dynamic.exported.contains("main"))
  }

  @Test func aDamagedFileAnswersOrFailsButNeverCrashes() throws {
    let tools = try Toolbox()
    _ = try build(tools, ["-fPIE", "-pie", "-Wl,-z,pack-relative-relocs"])
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: tools.path("p"))))
    var random = FixedGenerator(state: 7)
    var answered = 0
    for round in 0..<300 {
      var bytes = whole
      for _ in 0..<(1 << Int.random(in: 0..<9, using: &random)) {
        let limit = round % 2 == 0 ? 2048 : bytes.count
        bytes[Int.random(in: 16..<limit, using: &random)] = .random(in: 0...255, using: &random)
      }
      let path = tools.path("damaged")
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      if (try? DebugImage(path: path, debugDirectories: []).facts()) != nil { answered += 1 }
    }
    #expect(answered > 0)
  }
}
