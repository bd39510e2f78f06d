import Foundation
import TestSupport
import Testing

/// Programs whose calls are known: orders and never-called lists must equal them exactly.
@Suite(.tags(.compiler)) struct KnownSequenceTests {
  @Test func anOrderOfACProgramIsItsCallSequence() throws {
    let program = try Fixture.c(
      """
      __attribute__((noinline)) static void third(void) { __asm__ volatile(""); }
      __attribute__((noinline)) void second(void) { third(); }
      __attribute__((noinline)) void never_one(void) { __asm__ volatile(""); }
      __attribute__((noinline)) static void never_two(void) { __asm__ volatile(""); }
      __attribute__((noinline)) void first(void) { __asm__ volatile(""); }
      __attribute__((constructor)) static void before_main(void) { __asm__ volatile(""); }
      void (*volatile table[])(void) = {never_two, never_one};
      int main(int count, char **arguments) {
        (void)arguments;
        first();
        second();
        first();
        if (count > 5) table[count % 2]();
        return 0;
      }
      """, options: ["-O0"])
    let profile = try program.record()
    #expect(try Answer.order([profile]) == ["before_main", "main", "first", "second", "third"])
    let dead = try Answer.dead([profile])
    #expect(dead.mangledNames == ["never_one", "never_two"])
    #expect(dead.totals.called == 5)
    #expect(dead.functions.map(\.line) == [3, 4])
    #expect(dead.functions.allSatisfy { $0.file?.hasSuffix("/main.c") == true })
  }

  @Test(.onlyNative(RuntimeBuildTests.noSwift))
  func anOrderOfASwiftProgramIsItsCallSequence() throws {
    let program = try Fixture.swift(
      """
      protocol Shape { func area() -> Int }
      struct Square: Shape {
        let side: Int
        @inline(never) func area() -> Int { side * side }
      }
      struct Circle: Shape {
        @inline(never) func area() -> Int { 3 }
      }
      @inline(never) func second(_ shape: any Shape) -> Int { shape.area() }
      @inline(never) func first() -> Int { CommandLine.arguments.count }
      @inline(never) func neverCalled() -> Int { first() + 1 }
      if first() > 5 { print(neverCalled(), second(Circle())) }
      print(second(Square(side: first())))
      """, options: ["-Onone", "-module-name", "program"])
    let profile = try program.record()
    let called = try Answer.order([profile]).filter {
      // Of this module, and no witness: what somebody wrote.
      ($0 == "main" || $0.hasPrefix("$s7program")) && !$0.hasSuffix("TW")
    }
    #expect(
      called == [
        "main", "$s7program5firstSiyF", "$s7program6SquareV4sideACSi_tcfC",
        "$s7program6secondySiAA5Shape_pF", "$s7program6SquareV4areaSiyF",
      ])
    let dead = try Answer.dead([profile])
    #expect(
      dead.functions.map(\.name) == [
        "program.Circle.area() -> Swift.Int", "program.neverCalled() -> Swift.Int",
      ])
    #expect(dead.functions.map(\.line) == [7, 11])
    let all = try Answer.dead([profile, "--all"])
    // Nobody wrote this one.
    #expect(all.verdicts("program.Circle.init()") == ["compiler-generated"])
    #expect(all.functions.count == all.totals.functions)
    #expect(all.equation.isBalanced && all.equation.sum == all.equation.guards)
  }

  @Test(.onlyNative(RuntimeBuildTests.noSwift))
  func everyNameIsOneThatNmKnows() throws {
    let program = try Fixture.swift(
      """
      struct Box<Element> { var element: Element; func get() -> Element { element } }
      print(Box(element: 1).get(), Box(element: "a").get(), [3, 1, 2].sorted())
      """)
    let known = Set(
      try Command.check(["llvm-nm", "--format=just-symbols", program.executable])
        .split(separator: "\n").map(String.init))
    let profile = try program.record()
    let names = try Answer.order([profile])
    #expect(!names.isEmpty)
    #expect(names.filter { !known.contains($0) } == [])
    #expect(try Answer.dead([profile, "--all"]).mangledNames.subtracting(known) == [])
  }

  @Test func guardsInTheFileAreTheGuardsTheRuntimeSaw() throws {
    let program = try Fixture.c("int main(void) { return 0; }\nvoid other(void) {}")
    let profile = try program.record()
    let sections = try Command.check(["readelf", "-SW", program.executable])
    let line = try #require(sections.split(separator: "\n").first { $0.contains("__sancov_pcs") })
    let fields = line[line.range(of: "__sancov_pcs")!.upperBound...].split(separator: " ")
    let size = try #require(Int(fields[3], radix: 16))
    #expect(try Answer.info(profile).builds.map(\.guards) == [size / 16])
  }

  @Test func lldObeysAnOrderWithoutAWarning() throws {
    let program = try Fixture.c(
      """
      void a(void) {} void b(void) {} void c(void) {}
      int main(void) { c(); a(); return 0; }
      """, options: ["-O0"])
    let profile = try program.record()
    let order = program.directory.path("order")
    try Command.check([Toolchain.firstlight, "order", profile, "-o", order])
    let linked = try Command.run(
      [
        "clang", "-fuse-ld=lld", "-Wl,--symbol-ordering-file=\(order)", "-Wl,--fatal-warnings",
        "-O0", "-g", program.directory.path("main.c"), "-o", program.directory.path("relinked"),
      ]
        + Toolchain.flags("clang"))
    #expect(linked.status == 0)
    #expect(linked.errors == "")
    let symbols = try Command.check(
      ["llvm-nm", "--numeric-sort", "--format=just-symbols", program.directory.path("relinked")])
    let places = ["main", "c", "a", "b"].map { name in
      symbols.split(separator: "\n").firstIndex { $0 == name } ?? -1
    }
    #expect(places == places.sorted() && places.first! >= 0)
  }

  @Test func goldObeysAnOrder() throws {
    let program = try Fixture.c(
      """
      void a(void) {} void b(void) {} void c(void) {}
      int main(void) { c(); a(); return 0; }
      """, options: ["-O0"])
    let order = program.directory.path("order")
    try Command.check(
      [Toolchain.firstlight, "order", "--format", "gold", program.record(), "-o", order])
    try Command.check(
      [
        "clang", "-fuse-ld=gold", "-Wl,--section-ordering-file=\(order)", "-O0",
        "-ffunction-sections",
        program.directory.path("main.c"), "-o", program.directory.path("relinked"),
      ] + ProgramTarget.options)
    let symbols = try Command.check(
      ["llvm-nm", "--numeric-sort", "--format=just-symbols", program.directory.path("relinked")])
    let wanted: Set<Substring> = ["main", "a", "c"]
    #expect(symbols.split(separator: "\n").filter(wanted.contains) == ["main", "c", "a"])
  }

  @Test func aTargetGetsOnlyNamesThatItHas() throws {
    let old = try Fixture.c(
      "void gone(void) {} void kept(void) {} int main(void) { gone(); kept(); return 0; }",
      options: ["-O0"])
    let new = try Fixture.c(
      "void kept(void) {} int main(void) { kept(); return 0; }",
      options: ["-O0"])
    let profile = try old.record()
    #expect(try Answer.order([profile]) == ["main", "gone", "kept"])
    #expect(try Answer.order([profile, "--binary", new.executable]) == ["main", "kept"])
  }

  /// A user's own flags may set these.
  @Test func guardsOfBranchesAreNoFunctions() throws {
    let source = """
      void never(int n) { if (n > 3) __asm__ volatile("nop"); }
      void used(int n) { if (n > 3) __asm__ volatile("nop"); }
      int main(int n, char **a) { (void)a; if (n > 5) never(n); used(n); return 0; }
      """
    let flags = try Toolchain.flags("clang").map {
      $0 == "-fsanitize-coverage-type=1" ? "-fsanitize-coverage-type=3" : $0
    }
    let program = try Fixture.c(source, options: ["-O0"], flags: flags)
    let profile = try program.record()
    #expect(try Answer.order([profile]) == ["main", "used"])
    #expect(try Answer.dead([profile]).mangledNames == ["never"])
    let build = try #require(try Answer.info(profile).builds.first)
    #expect(build.functions == 3)
    #expect(build.guards > 3)
  }

  @Test func aProfileAnswersAfterItsBinaryIsGone() throws {
    let program = try Fixture.c(
      "void never(void) {} int main(void) { return 0; }", options: ["-O0"], isOwn: true)
    let profile = try program.record()
    try FileManager.default.removeItem(atPath: program.executable)
    try FileManager.default.removeItem(atPath: program.directory.path("main.c"))
    #expect(try Answer.order([profile]) == ["main"])
    #expect(try Answer.dead([profile]).mangledNames == ["never"])
  }
}
