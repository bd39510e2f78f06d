import DebugInfo
import FirstlightModel
import Foundation
import Testing

/// What linked code refers to; objdump and readelf are the oracles.
@Suite struct LinkReferenceTests {
  private static let c = """
    typedef int (*action)(int);
    static int leaf(int x) { return x + 1; }
    static int local(int x) { return leaf(x) * 2; }
    int global(int x) { return local(x) + 1; }
    static int taken(int x) { return x - 1; }
    int inTable(int x) { return x * 3; }
    int unused(int x) { return global(x); }
    volatile action table[] = { inTable, 0 };
    __attribute__((noinline)) int apply(action f, int x) { return f(x); }
    __attribute__((constructor)) static void start(void) { table[1] = 0; }
    int main(int count, char **words) { (void)words;
      return count > 5 ? global(count) : apply(taken, count) + table[0](count); }
    """
  private static let cxx = """
    struct Ware { virtual int price() const { return 3; } virtual ~Ware() {} };
    struct Book : Ware { int price() const override { return helper(4); }
      static int helper(int x) { return x; } };
    template <class T> T twice(T x) { return x + x; }
    static int unused(int x) { return twice(x); }
    int (*kept)(int) = unused;
    int main(int count, char **) { Book book; Ware &ware = count > 3 ? book : *new Ware;
      return ware.price() + twice(count); }
    """

  private struct Edge: Hashable {
    var from, to: String
  }

  private func edges(_ links: LinkReferences) -> (code: Set<Edge>, data: Set<Edge>) {
    func edge(_ edge: LinkReferences.Edge) -> Edge {
      Edge(from: links.names[Int(edge.from)], to: links.names[Int(edge.to)])
    }
    let code = links.edges.filter { Int($0.from) < links.functionCount }
    let data = links.edges.filter { Int($0.from) >= links.functionCount }
    return (Set(code.map(edge)), Set(data.map(edge)))
  }

  /// Calls, jumps and addresses from one function to another, as objdump names them.
  private func disassembled(_ tools: Toolbox, _ file: String) throws -> Set<Edge> {
    // Virtual tables are weak objects.
    let functions = Set(try tools.listedSymbols(file).filter { $0.kind != "V" }.map(\.name))
    var edges: Set<Edge> = []
    var function = ""
    for line in try tools.run("objdump", "-d", "--no-show-raw-insn", file).split(separator: "\n") {
      guard let open = line.lastIndex(of: "<"), let close = line.lastIndex(of: ">"), open < close
      else { continue }
      let name = String(line[line.index(after: open)..<close].prefix { $0 != "+" })
      if line.hasSuffix(">:") {
        function = name
      } else if functions.contains(name), name != function {
        edges.insert(Edge(from: function, to: name))
      }
    }
    return edges
  }

  /// Those of our own source.
  private func own(_ edges: Set<Edge>) -> Set<Edge> {
    edges.filter { !$0.from.hasPrefix("_") || $0.from.hasPrefix("_ZN") || $0.from.hasPrefix("_ZL") }
      .filter { !["deregister_tm_clones", "register_tm_clones", "frame_dummy"].contains($0.from) }
  }

  @Test(arguments: [
    ["gcc", "-O0"], ["gcc", "-O2", "-fno-inline"], ["gcc", "-O0", "-ffunction-sections"],
    ["gcc", "-O0", "-fno-pie", "-no-pie"], ["clang", "-O0", "-fuse-ld=lld"],
    ["clang", "-O1", "-fno-inline", "-fuse-ld=lld"],
  ])
  func edgesOfCAreThoseOfTheDisassembly(compiler: [String]) throws {
    let tools = try Toolbox()
    try tools.write(Self.c, to: "a.c")
    try tools.run(compiler + ["-Wl,--emit-relocs", "a.c", "-o", "a"])
    let links = try #require(try DebugImage(path: tools.path("a")).linkReferences())
    let found = edges(links)
    let expected = own(try disassembled(tools, "a"))
    // An address in an instruction of a program at a fixed place has no name there.
    #expect(expected.isSubset(of: found.code))
    #expect(own(found.code).subtracting(expected).isSubset(of: [Edge(from: "main", to: "taken")]))
    #expect(found.code.contains(Edge(from: "main", to: "taken")))
    #expect(found.data.contains(Edge(from: "table", to: "inTable")))
    #expect(found.data.contains { $0.to == "start" })
    #expect(!(found.code.union(found.data)).contains { $0.to == "unused" })
  }

  @Test(arguments: [["g++", "-O0"], ["clang++", "-O0", "-fuse-ld=lld"]])
  func edgesOfCxxAreThoseOfTheDisassembly(compiler: [String]) throws {
    let tools = try Toolbox()
    try tools.write(Self.cxx, to: "a.cpp")
    try tools.run(compiler + ["-Wl,--emit-relocs", "a.cpp", "-o", "a"])
    let links = try #require(try DebugImage(path: tools.path("a")).linkReferences())
    let found = edges(links)
    // Constructors and destructors have several names at one place.
    func plain(_ edges: Set<Edge>) -> Set<Edge> {
      own(edges).filter { edge in
        ![edge.from, edge.to].contains {
          $0.contains("C1E") || $0.contains("C2E") || $0.contains("D")
        }
      }
    }
    #expect(plain(found.code) == plain(try disassembled(tools, "a")))
    #expect(found.data.contains(Edge(from: "kept", to: "_ZL6unusedi")))
    #expect(found.data.contains(Edge(from: "_ZTV4Book", to: "_ZNK4Book5priceEv")))
  }

  /// As many places as readelf lists in tables that say what the program needs.
  @Test func tablesOfUnwindersAreNoReferences() throws {
    let tools = try Toolbox()
    try tools.write(Self.c, to: "a.c")
    try tools.run("gcc", "-O0", "-g", "-Wl,--emit-relocs", "a.c", "-o", "a")
    let listed = try tools.run("readelf", "-rW", "a")
    #expect(listed.contains(".rela.eh_frame") && listed.contains(".rela.debug_info"))
    let links = try #require(try DebugImage(path: tools.path("a")).linkReferences())
    let sources = Set(links.edges.map { links.names[Int($0.from)] })
    #expect(!sources.contains(".eh_frame") && !sources.contains(".debug_info"))
  }

  /// Bytes at the end of a function look like the beginning of a jump only together with those of the next one.
  @Test func paddingAndNeighboursAreNoReferences() throws {
    let tools = try Toolbox()
    try tools.write(
      """
      .text
      .globl first, second, third
      .type first,@function
      .type second,@function
      .type third,@function
      first: ret; .byte 0xeb; .size first,.-first
      second: .byte 4; nop; ret; .size second,.-second
      .byte 0xeb, 0
      third: call first; call second; ret; .size third,.-third
      .globl main
      .type main,@function
      main: call third; ret; .size main,.-main
      .section .note.GNU-stack,"",@progbits
      .section .rodata
      .long third-.

      """, to: "a.s")
    try tools.run("gcc", "-Wl,--emit-relocs", "a.s", "-o", "a")
    let links = try #require(try DebugImage(path: tools.path("a")).linkReferences())
    let own = links.edges.filter {
      ["first", "second", "third", "main"].contains(links.names[Int($0.from)])
    }
    #expect(
      Set(own.map { "\(links.names[Int($0.from)]) \(links.names[Int($0.to)])" })
        == ["third first", "third second", "main third"])
    #expect(own.allSatisfy { $0.isProved })
  }

  /// The assembler itself resolves a call within a section.
  @Test func callsWithoutRelocationAreNotProved() throws {
    let tools = try Toolbox()
    try tools.write(Self.c, to: "a.c")
    try tools.run("gcc", "-O0", "-Wl,--emit-relocs", "a.c", "-o", "a")
    let links = try #require(try DebugImage(path: tools.path("a")).linkReferences())
    func isProved(_ from: String, _ to: String) -> Bool? {
      links.edges.first {
        links.names[Int($0.from)] == from && links.names[Int($0.to)] == to
      }?.isProved
    }
    #expect(isProved("local", "leaf") == false)
    #expect(isProved("main", "global") == true)
    #expect(isProved("table", "inTable") == true)
  }

  /// The last bytes of `second` look like a jump to `first`. They are one only if the assembler saw both places.
  @Test(arguments: [
    (".text", true, true), (".text", false, true), ("", true, false), ("", false, true),
  ])
  func sectionsOfTheirOwnNeedRelocations(section: String, hasUnits: Bool, isLikely: Bool) throws {
    let tools = try Toolbox()
    try tools.write(
      """
      .globl main
      .type main,@function
      main: xor %eax, %eax; ret; .size main,.-main
      .section \(section.isEmpty ? ".text.first" : section),"ax",@progbits
      .type first,@function
      first: nop; ret; .size first,.-first
      .section \(section.isEmpty ? ".text.second" : section),"ax",@progbits
      .type second,@function
      second: nop; .byte 0xeb, 0xfb; .size second,.-second
      .section .note.GNU-stack,"",@progbits

      """, to: "a.s")
    try tools.run(["gcc"] + (hasUnits ? ["-g"] : []) + ["-Wl,--emit-relocs", "a.s", "-o", "a"])
    let links = try #require(try DebugImage(path: tools.path("a")).linkReferences())
    #expect(
      links.edges.contains {
        links.names[Int($0.from)] == "second" && links.names[Int($0.to)] == "first" && !$0.isProved
      } == isLikely)
  }

  @Test func filesWithoutRelocationsHaveNone() throws {
    let tools = try Toolbox()
    try tools.write(Self.c, to: "a.c")
    try tools.run("gcc", "-O0", "a.c", "-o", "a")
    #expect(try DebugImage(path: tools.path("a")).linkReferences() == nil)
  }

  /// Each entry of a table is overwritten in turn: nothing that it says may lead out of the file.
  @Test func damagedRelocationsAreLeftOut() throws {
    let tools = try Toolbox()
    try tools.write(Self.c, to: "a.c")
    try tools.run("gcc", "-O0", "-Wl,--emit-relocs", "a.c", "-o", "a")
    let listed = try tools.run("readelf", "-SW", "a").split(separator: "\n")
    let line = try #require(listed.first { $0.contains(" .rela.text ") })
    let words = line.replacing("[ ", with: "[").split(separator: " ")
    let offset = try #require(Int(words[4], radix: 16))
    let size = try #require(Int(words[5], radix: 16))
    var bytes = try Data(contentsOf: URL(fileURLWithPath: tools.path("a")))
    for place in offset..<(offset + size) { bytes[place] = UInt8(truncatingIfNeeded: place &* 131) }
    try bytes.write(to: URL(fileURLWithPath: tools.path("b")))
    let links = try #require(try DebugImage(path: tools.path("b")).linkReferences())
    #expect(links.edges.allSatisfy { links.names.indices.contains(Int($0.from)) })
    #expect(links.edges.allSatisfy { (0..<links.functionCount).contains(Int($0.to)) })
  }
}
