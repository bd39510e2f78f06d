import Foundation
import TestSupport
import Testing

/// `firstlight verify` on what real linkers made.
@Suite(.tags(.compiler)) struct VerifyTests {
  private static let main = """
    #define F __attribute__((noinline)) void
    F a(void) { __asm__ volatile("nop"); }
    F b(void) { __asm__ volatile("nop; nop"); }
    F c(void) { __asm__ volatile("nop; nop"); }
    static __attribute__((always_inline)) void inside(void) { __asm__ volatile("nop"); }
    __attribute__((section(".startup"))) F elsewhere(void) { __asm__ volatile("nop"); }
    F before(void); F shared(void); F after(void);
    int main(void) { inside(); a(); b(); c(); elsewhere(); before(); shared(); after(); return 0; }
    """
  private static let library = """
    void before(void) { __asm__ volatile("nop"); }
    void shared(void) { __asm__ volatile("nop; nop; nop"); }
    void after(void) { __asm__ volatile("nop"); }
    """

  /// The program, linked by lld with an order; its library has one section for all its functions.
  private func build(order: String, _ options: String...) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.write(Self.main, to: "main.c")
    try directory.write(Self.library, to: "library.c")
    try directory.write(order, to: "order")
    try Command.check(["clang", "-O1", "-c", "library.c"], in: directory.url)
    try Command.check(["llvm-ar", "rc", "liblibrary.a", "library.o"], in: directory.url)
    try Command.check(
      [
        "clang", "-g", "-O1", "-ffunction-sections", "main.c", "liblibrary.a", "-o", "program",
        "-fuse-ld=lld", "-Wl,--symbol-ordering-file=order", "-Wl,-Map=map",
        "-Wl,--no-warn-symbol-ordering",
      ] + options, in: directory.url)
    return directory
  }

  private func verify(_ directory: TemporaryDirectory, _ options: String...) throws -> Document {
    let text = try Command.check(
      [Toolchain.firstlight, "verify", "--format", "json", "order", "program"] + options,
      in: directory.url)
    return try JSONDecoder().decode(Document.self, from: Data(text.utf8))
  }

  @Test func aFollowedOrderIsInOrder() throws {
    let directory = try build(order: "c\nmain\na\n")
    let result = try verify(directory)
    #expect(result.entries.map(\.fate) == ["in order", "in order", "in order"])
    #expect(result.hitRate == 1)
    #expect(result.pages == 1)
    #expect(result.outputSection == ".text")
    let addresses = try Command.check(["llvm-nm", directory.path("program")])
      .split(separator: "\n").reduce(into: [String: UInt64]()) { addresses, line in
        let fields = line.split(separator: " ")
        if fields.count == 3 { addresses[String(fields[2])] = UInt64(fields[0], radix: 16) }
      }
    #expect(result.entries.map(\.address) == ["c", "main", "a"].map { addresses[$0] })
  }

  @Test func eachMissHasItsReason() throws {
    let directory = try build(order: "shared\nbefore\nmain\na\ninside\ngone\nelsewhere\n")
    let result = try verify(directory, "--map", "map")
    let fates = Dictionary(uniqueKeysWithValues: result.entries.map { ($0.name, $0) })
    #expect(fates["main"]?.fate == "in order")
    #expect(fates["a"]?.fate == "in order")
    #expect(fates["inside"]?.fate == "inlined")
    #expect(fates["gone"]?.fate == "absent")
    #expect(fates["elsewhere"]?.fate == "other output section")
    #expect(fates["elsewhere"]?.outputSection == ".startup")
    // Both lie in one section, which moved to the front: one of them can't be where it should.
    let misplaced = try #require(
      [fates["shared"], fates["before"]].compactMap { $0 }.first { $0.fate != "in order" })
    #expect(misplaced.fate == "shares section")
    #expect(misplaced.file?.hasSuffix("liblibrary.a(library.o)") == true)
  }

  @Test func foldedFunctionsAreFolded() throws {
    let directory = try build(order: "main\nb\na\nc\n", "-Wl,--icf=all")
    let result = try verify(directory)
    #expect(result.entries.map(\.fate) == ["in order", "in order", "in order", "folded"])
    #expect(result.entries[3].foldedInto == "b")
  }

  @Test func anOrderThatWasNotGivenFails() throws {
    let directory = try build(order: "main\na\nb\nc\n")
    try directory.write("c\nb\na\nmain\n", to: "order")
    let result = try Command.run(
      [
        Toolchain.firstlight, "verify", "order", "program", "--map", "map", "--min-hit-rate",
        "0.95",
      ],
      in: directory.url)
    #expect(result.status == 65)
    #expect(result.output.contains("1 of 4 names (25.0%) are in order in .text; 4 of 4 movable."))
    #expect(result.errors.contains("only 25.0% of the names"))
  }

  /// As if the linker had not been given the order at all.
  @Test func aBinaryWithNoNameInOrderFails() throws {
    let directory = try build(order: "main\na\n")
    try directory.write("gone\nlost\n", to: "order")
    let result = try Command.run(
      [Toolchain.firstlight, "verify", "order", "program"], in: directory.url)
    #expect(result.status == 65)
    #expect(result.output.hasPrefix("0 of 2 names"))
    #expect(result.errors.contains("program: none of the names in order is in order"))
  }

  @Test func badInputIsNamed() throws {
    let directory = try TemporaryDirectory()
    try directory.write("# nothing\n", to: "empty")
    for (arguments, status, word) in [
      (["missing", "/bin/sh"], Int32(66), "missing"),
      (["empty", "/bin/sh"], 65, "contains no names"),
      (["/bin/sh", "/bin/sh"], 65, "/bin/sh: contains no names"),
      (["empty"], 64, "binary"),
    ] {
      let result = try Command.run(
        [Toolchain.firstlight, "verify"] + arguments, in: directory.url)
      #expect(result.status == status)
      #expect(result.errors.contains(word))
    }
  }

  private struct Document: Decodable {
    struct Entry: Decodable {
      var name, fate: String
      var address: UInt64?
      var foldedInto, outputSection, file: String?
    }
    var entries: [Entry]
    var hitRate: Double
    var pages: Int
    var outputSection: String
  }
}
