import Foundation
import TestSupport
import Testing

/// Programs of compilers other than clang and Swift's.
@Suite(.tags(.compiler)) struct OtherCompilersTests {
  static let hasGo = (try? Command.run(["go", "version"]))?.status == 0

  /// Debug information of Go has no lines of declarations before Go 1.21; that is no sign of who wrote it.
  @Test(.enabled(if: hasGo, "needs Debian's golang-go"))
  func whatIsWrittenInGoIsListed() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write(
      """
      package main

      import "os"

      type shape interface{ area() int }
      type square struct{ side int }

      //go:noinline
      func (s square) area() int { return s.side * os.Getppid() }

      //go:noinline
      func first() int { return os.Getpid() }

      //go:noinline
      func never() int { return os.Getuid() * 3 }

      func main() {
        var s shape = &square{first()}
        if len(os.Args) > 5 { println(never()) }
        os.Exit(s.area() & 0)
      }
      """, to: "main.go")
    let program = directory.path("program")
    try Command.check(
      ["go", "build", "-o", program, source],
      environment: ["GO111MODULE": "off", "GOCACHE": directory.path("cache")])
    let profile = directory.path("p.flp")
    try Command.check([
      Toolchain.firstlight, "record", "--no-rebuild", "-o", profile, "--", program,
    ])
    let own = try Answer.order([profile]).filter { $0.hasPrefix("main.") }
    #expect(own.filter(["main.main", "main.first"].contains) == ["main.main", "main.first"])
    let all = try Answer.dead(["--all", profile])
    #expect(all.verdicts("main.never") == ["never called"])
    #expect(all.verdicts("main.main") == ["called"])
    let never = try #require(all.functions.first { $0.name == "main.never" })
    #expect(never.line == 15 && never.file?.hasSuffix("main.go") == true)
    #expect(all.verdicts("main.square.area") == ["called"])
  }

  @Test(.enabled(if: RuntimeBuildTests.hasRust, "needs Debian's rustc"))
  func namesOfRustAreDemangled() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write(
      """
      struct Point { x: i32 }
      impl Point { #[inline(never)] fn move_by(&mut self, n: i32) { self.x += n; eprint!("") } }
      #[inline(never)] fn twice<T: Copy>(value: T) -> (T, T) { eprint!(""); (value, value) }
      // So large that it cannot have been inlined everywhere.
      #[inline(never)] fn never(n: usize) { eprintln!("never {n} {} {}", n * 3, n / 7 + n % 5) }
      fn main() {
        let mut p = Point { x: 1 };
        p.move_by(twice(2).0 + twice(3u8).1 as i32);
        if std::env::args().count() > 5 { never(std::env::args().count()) }
      }
      """, to: "main.rs")
    let program = directory.path("program")
    try Command.check([
      "rustc", "-g", "-Copt-level=1", "-Csymbol-mangling-version=v0", source, "-o", program,
    ])
    let profile = directory.path("p.flp")
    try Command.check([
      Toolchain.firstlight, "record", "--no-rebuild", "-o", profile, "--", program,
    ])
    let all = try Answer.dead(["--all", profile])
    // rustc-demangle is what LLVM's demangler is checked with, too.
    let symbols = try Command.check(["llvm-nm", "--demangle", program])
    #expect(symbols.contains(" <main::Point>::move_by\n"))
    #expect(all.verdicts("<main::Point>::move_by") == ["called"])
    // Its two instances are one function.
    #expect(all.functions.count { $0.name.hasPrefix("main::twice") } == 1)
    #expect(all.verdicts("main::twice") == ["called"])
    #expect(all.verdicts("main::never") == ["never called"])
  }

  /// The kernel may start it by an emulator, and a tracer would tell of that.
  @Test(arguments: [["record", "--no-rebuild", "-o", "p.flp", "--"], ["launch", "--"]])
  func aProgramForAnotherMachineIsNotTraced(command: [String]) throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write("void _start(void) { for (;;) {} }", to: "main.c")
    try Command.check([
      "clang", "--target=aarch64-linux-gnu", "-nostdlib", "-fuse-ld=lld", source, "-o",
      directory.path("program"),
    ])
    let result = try Command.run(
      [Toolchain.firstlight] + command + ["./program"], in: directory.url)
    #expect(result.status == 126)
    #expect(result.errors.contains("./program: built for aarch64, and this machine is x86_64"))
    #expect(!directory.entries.contains("p.flp"))
  }
}
