import Foundation
import TestSupport
import Testing

/// Orders handed to real linkers, and what becomes of names in other builds.
@Suite(.tags(.compiler)) struct OrderingTests {
  private static let source = """
    #define F __attribute__((noinline)) void
    F a(void) { __asm__ volatile(""); } F b(void) { __asm__ volatile(""); }
    F c(void) { __asm__ volatile(""); } F d(void) { __asm__ volatile(""); }
    F never(void) { __asm__ volatile(""); }
    int main(int n, char **v) {
      (void)v;
      d(); b();
      if (n > 1) c();
      a();
      if (n > 9) never();
      return 0;
    }
    """
  private static let wanted = ["main", "d", "b", "a"]

  /// Builds the plain program with an order; returns the called functions in address order.
  private func layout(_ program: Fixture, _ link: [String]) throws -> [String] {
    let plain = program.directory.path("plain")
    try Command.check(
      ["clang", "-O1", "-ffunction-sections", program.directory.path("main.c"), "-o", plain] + link)
    return try Self.functions(of: plain)
  }

  private static func functions(of binary: String) throws -> [String] {
    let wanted = Set(Self.wanted + ["never"])
    return try Command.check([
      "llvm-nm", "--numeric-sort", "--defined-only", "--format=just-symbols", binary,
    ]).split(separator: "\n").map(String.init).filter(wanted.contains)
  }

  private func order(_ program: Fixture, _ options: String...) throws -> String {
    let file = program.directory.path("order")
    try Command.check(
      [Toolchain.firstlight, "order", program.record(), "-o", file] + options)
    return file
  }

  @Test func lldLaysFunctionsOutAsOrdered() throws {
    let program = try Fixture.c(Self.source)
    let file = try order(program)
    let names = try layout(
      program, ["-fuse-ld=lld", "-Wl,--symbol-ordering-file=\(file)", "-Wl,--fatal-warnings"])
    #expect(names == Self.wanted + ["never"])
  }

  /// The profile has a program and a library.
  @Test func theOrderIsThatOfTheBinaryWithItsBuildID() throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      "int first(int n) { return n + 1; }\nint second(int n) { return first(n) * 2; }\n",
      to: "library.c")
    try directory.write(
      "int second(int);\nint main(int c, char **v) { (void)v; return second(c) > 50; }\n",
      to: "main.c")
    for words in [
      ["-shared", "-fPIC", "library.c", "-o", "libx.so"],
      ["main.c", "./libx.so", "-o", "app", "-Wl,-rpath,."],
    ] {
      try Command.check(
        ["clang", "-g", "-O0", "-Wl,--build-id=sha1"] + words, in: directory.url)
    }
    try Command.check(
      [
        Toolchain.firstlight, "record", "--no-rebuild", "--image", "*libx*", "-o", "p.flp", "./app",
      ], in: directory.url)
    func order(_ binary: String) throws -> [Substring] {
      let text = try Command.check(
        [Toolchain.firstlight, "order", "p.flp", "--binary", binary], in: directory.url)
      return text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
    let library = try order("libx.so")
    #expect(library.contains("second") && library.contains("first") && !library.contains("main"))
    #expect(try order("app").contains("main"))
  }

  @Test func goldLaysFunctionsOutAsOrdered() throws {
    let program = try Fixture.c(Self.source)
    let file = try order(program, "--format", "gold")
    let names = try layout(program, ["-fuse-ld=gold", "-Wl,--section-ordering-file=\(file)"])
    #expect(names.filter { $0 != "never" } == Self.wanted)
  }

  /// Checked with the linker where it is 2.43 or later, and for its form before.
  @Test func gnuLDTakesItsForm() throws {
    let program = try Fixture.c(Self.source)
    let file = try order(program, "--format", "ld")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let body = text.split(separator: "\n").filter { !$0.hasPrefix("/*") }
    #expect(
      body == [".text : {", "  *(.text.main)", "  *(.text.d)", "  *(.text.b)", "  *(.text.a)", "}"])
    let help = try Command.check(["ld.bfd", "--help"])
    if help.contains("--section-ordering-file") {
      let names = try layout(program, ["-fuse-ld=bfd", "-Wl,--section-ordering-file=\(file)"])
      #expect(names.filter { $0 != "never" } == Self.wanted)
    }
  }

  @Test(.enabled(if: Self.bolt != nil, "llvm-bolt isn't installed; Scripts/setup test does that"))
  func boltLaysFunctionsOutAsOrdered() throws {
    let program = try Fixture.c(Self.source)
    let file = try order(program, "--format", "bolt")
    _ = try layout(program, ["-fuse-ld=lld", "-Wl,--emit-relocs"])
    let plain = program.directory.path("plain")
    let result = program.directory.path("bolted")
    try Command.check([
      Self.bolt ?? "", plain, "--reorder-functions=user", "--function-order=\(file)", "-o", result,
    ])
    #expect(try Self.functions(of: result).filter { $0 != "never" } == Self.wanted)
    #expect(try Command.run([result]).status == 0)
  }

  private static let bolt = ["llvm-bolt", "llvm-bolt-19", "llvm-bolt-16", "llvm-bolt-15"].first {
    (try? Command.run([$0, "--version"]))?.status == 0
  }

  @Test func llvmReadsTheTextProfile() throws {
    let program = try Fixture.c(Self.source)
    let file = try order(program, "--format", "proftext")
    let order = try Command.check(["llvm-profdata", "order", file])
      .split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    #expect(order.sorted() == Self.wanted.sorted())
    let profile = program.directory.path("profile")
    try Command.check(["llvm-profdata", "merge", file, "-o", profile])
    let names = try layout(
      program,
      [
        "-fuse-ld=lld", "-Wl,--irpgo-profile=\(profile)", "-Wl,--bp-startup-sort=function",
      ])
    #expect(names.last == "never")
  }

  @Test func foldedAndGoneNamesAreCounted() throws {
    let program = try Fixture.c(Self.source, options: ["-O1", "-ffunction-sections"])
    let profile = try program.record("x")
    _ = try layout(
      program, ["-fuse-ld=lld", "-Wl,--icf=all", "-Dd=renamed"])
    let result = try Command.run([
      Toolchain.firstlight, "order", profile, "--binary", program.directory.path("plain"),
    ])
    #expect(result.status == 0)
    let names = result.output.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(names == ["main", "b", "c", "a"])
    #expect(result.errors.contains("hit rate 80.0%: 4 of 5 functions"))
    #expect(result.errors.contains("2 folded into another, 1 missing"))
  }

  @Test func aLowHitRateFails() throws {
    let program = try Fixture.c(Self.source)
    let other = try Fixture.c("void b(void) {} int main(void) { b(); return 0; }")
    let output = program.directory.path("kept")
    let result = try Command.run([
      Toolchain.firstlight, "order", program.record(), "--binary", other.executable,
      "--min-hit-rate", "0.9", "-o", output,
    ])
    #expect(result.status == 65)
    #expect(result.errors.contains("contains only 50.0% of the called functions"))
    #expect(!FileManager.default.fileExists(atPath: output))
  }

  @Test(arguments: [
    (["--min-hit-rate", "0.5"], "needs --binary"),
    (["--min-hit-rate", "2", "--binary", "x"], "between 0 and 1"),
    (["--page-size", "5000"], "power"),
    (["--strategy", "best"], "first-call"), (["--format", "elf"], "proftext"),
  ])
  func wrongOptionsAreNamed(options: [String], word: String) throws {
    let result = try Command.run([Toolchain.firstlight, "order", "a.flp"] + options)
    #expect(result.status == 64)
    #expect(result.errors.contains(word))
  }

  @Test func evaluationSaysWhatItWasTriedOn() throws {
    let program = try Fixture.c(Self.source)
    let few = try Command.check([
      Toolchain.firstlight, "order", "--evaluate", program.record(), program.record("x"),
    ])
    #expect(few.contains("Too few traces to hold any out (2 of at least 5"))
    let many = try (0..<6).map { try $0 % 2 == 0 ? program.record() : program.record("x") }
    let file = program.directory.path("order")
    let table = try Command.check(
      [Toolchain.firstlight, "order", "--evaluate", "--strategy", "balanced", "-o", file] + many)
    #expect(table.contains("Orders made from 5 traces, tested on 1 held out. Page size 4.0 KiB."))
    #expect(
      table.split(separator: "\n").map { $0.prefix { $0 != " " } }
        == ["Orders", "Order", "link", "first-call", "balanced", "Area:"])
    let names = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
    #expect(Set(names) == ["main", "a", "b", "c", "d"])
  }
}
