import Foundation
import TestSupport
import Testing

/// Commands that the tools print do what they are printed for when they are pasted.
@Suite(.tags(.compiler)) struct RecipeTests {
  /// Functions that are called in another order than they lie in.
  private static let source = """
    #define OWN __attribute__((noinline, used))
    OWN void never(void) { __asm__ volatile(""); }
    OWN void third(void) { __asm__ volatile(""); }
    OWN void second(void) { __asm__ volatile(""); }
    OWN void first(void) { __asm__ volatile(""); }
    int main(int count, char **arguments) {
      (void)arguments;
      first();
      second();
      third();
      if (count > 1) never();
      return 0;
    }

    """
  private static let called = ["main", "first", "second", "third"]

  private func paste(_ command: String, in directory: TemporaryDirectory) throws -> CommandResult {
    try Command.run(
      ["sh", "-c", command], in: directory.url,
      environment: ["PATH": "\(Toolchain.products.path):\(Toolchain.path)"])
  }

  /// Of these symbols of a binary, those that it has, as they lie.
  private func layout(_ names: [String], in binary: String) throws -> [String] {
    try Command.check(["llvm-nm", "-n", "--defined-only", binary]).split(separator: "\n")
      .map { String($0.split(separator: " ").last ?? "") }.filter(names.contains)
  }

  private func uses(in order: String) throws -> [String] {
    try String(contentsOfFile: order, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("# Use: ") }.map { String($0.dropFirst("# Use: ".count)) }
  }

  @Test(arguments: ["lld", "gold"])
  func theHeadOfAnOrderLinksWithIt(format: String) throws {
    let program = try Fixture.c(Self.source, options: ["-O1"])
    let order = program.directory.path("app.order")
    try Command.check([
      Toolchain.firstlight, "order", try program.record(), "--format", format, "-o", order,
    ])
    let clang = try #require(try uses(in: order).first { $0.hasPrefix("clang ") })
    let result = try paste(
      clang.replacing("FILE", with: order) + " -O1 main.c -o again", in: program.directory)
    #expect(result.status == 0, "\(result.errors)")
    let again = program.directory.path("again")
    #expect(try layout(Self.called, in: again) == Self.called)
  }

  /// What is printed for packages moves functions of Swift and of C.
  @Test func aPackageIsLinkedInOrderByWhatIsPrinted() throws {
    let directory = try TemporaryDirectory()
    try directory.write(
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(
        name: "App",
        targets: [.target(name: "Core"), .executableTarget(name: "App", dependencies: ["Core"])])
      """, to: "Package.swift")
    try directory.write(
      "void first(void);\nvoid second(void);\nvoid third(void);\n",
      to: "Sources/Core/include/core.h")
    try directory.write(
      """
      __attribute__((noinline)) void third(void) { __asm__ volatile(""); }
      __attribute__((noinline)) void second(void) { __asm__ volatile(""); }
      __attribute__((noinline)) void first(void) { __asm__ volatile(""); }
      """, to: "Sources/Core/core.c")
    // Bodies of different shapes, which no optimiser makes one of.
    try directory.write(
      """
      import Core
      @inline(never) func step3(_ x: Int) -> Int { x + CommandLine.arguments.count }
      @inline(never) func step2(_ x: Int) -> Int { "\\(x)".utf8.count }
      @inline(never) func step1(_ x: Int) -> Int { [x, x + 1].reversed().reduce(1, *) }
      first()
      second()
      third()
      print(step3(step2(step1(CommandLine.arguments.count))))
      """, to: "Sources/App/main.swift")
    try Command.check(["swift", "build", "-c", "release"], in: directory.url)
    let app = directory.path(".build/release/App")
    let recorded = try Watched.run([app], in: directory)
    let order = directory.path("app.order")
    try Command.check([Toolchain.firstlight, "order", recorded.profile, "-o", order])
    let wanted = try Answer.order([recorded.profile]).filter {
      $0.hasPrefix("$s3App5step") || ["first", "second", "third"].contains($0)
    }
    #expect(wanted.count == 6)
    #expect(try layout(wanted, in: app) != wanted)

    let printed = try #require(try uses(in: order).first { $0.hasPrefix("swift build ") })
    let help = try Command.check([Toolchain.firstlight, "help", "order"])
    // The last one reads the toolset that the one before it left.
    for command in [
      printed.replacing("FILE", with: order), try #require(pasted(help, "swift build")),
      "swift build -c release "
        + "$(firstlight flags swiftpm --order app.order --response-file order.json)",
      "swift build -c release --toolset order.json",
    ] {
      try FileManager.default.removeItem(atPath: app)
      let result = try paste(command, in: directory)
      #expect(result.status == 0, "\(result.output)\(result.errors)")
      #expect(try layout(wanted, in: app) == wanted)
    }
  }

  @Test(arguments: ["clang", "swiftc"])
  func theFlagsOfAnOrderLinkWithIt(compiler: String) throws {
    let program = try Fixture.c(Self.source, options: ["-O1"])
    let directory = program.directory
    let order = directory.path("app.order")
    try Command.check([Toolchain.firstlight, "order", try program.record(), "-o", order])
    let compile =
      compiler == "clang"
      ? "clang -O1 main.c -o again"
      : "clang -O1 -ffunction-sections -c main.c && swiftc main.o -o again"
    for option in ["", " --response-file flags.response"] {
      let result = try paste(
        "\(compile) $(firstlight flags \(compiler) --order app.order\(option))", in: directory)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try layout(Self.called, in: directory.path("again")) == Self.called)
      try FileManager.default.removeItem(atPath: directory.path("again"))
    }
  }

  @Test func flagsForAnUnusableOrderAreRefused() throws {
    let directory = try TemporaryDirectory()
    try directory.write(".text.main\n", to: "gold.order")
    for (options, status, words) in [
      (["--order", "gold.order"], 65, "gold.order: this order is for another linker than lld"),
      (["--order", "none.order"], 66, "none.order"),
      (
        ["--order", "gold.order", "--gated"], 64,
        "leave out --gated, --no-inlining, --counters"
      ),
    ] as [([String], Int32, String)] {
      let result = try Command.run(
        [Toolchain.firstlight, "flags", "swiftpm"] + options, in: directory.url)
      #expect(result.status == status)
      #expect(result.output.isEmpty && result.errors.contains(words), "\(result.errors)")
    }
  }

  @Test func theHelpOfOrderLinksWithIt() throws {
    let program = try Fixture.c(Self.source, options: ["-O1"])
    try Command.check([
      Toolchain.firstlight, "order", try program.record(), "-o",
      program.directory.path("app.order"),
    ])
    let help = try Command.check([Toolchain.firstlight, "help", "order"])
    let clang = try #require(pasted(help, "clang"))
    let result = try paste("\(clang) -O1 main.c -o again", in: program.directory)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try layout(Self.called, in: program.directory.path("again")) == Self.called)
  }

  @Test func theHelpOfFlagsMakesRecordableBuilds() throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.source, to: "app.c")
    try directory.write(
      "app: app.c\n\t$(CC) $(CFLAGS) $(LDFLAGS) app.c -o app\n", to: "Makefile")
    try directory.write("func greet() { print(1) }\ngreet()\n", to: "main.swift")
    let help = try Command.check([Toolchain.firstlight, "help", "flags"])
    for (start, program) in [("make", "app"), ("swiftc", "main")] {
      let command = try #require(pasted(help, start))
      let result = try paste(command, in: directory)
      #expect(result.status == 0, "\(command)\n\(result.errors)")
      try Command.check([
        Toolchain.firstlight, "record", "-o", directory.path("\(program).flp"), "--",
        directory.path(program),
      ])
    }
    #expect(try Answer.order([directory.path("app.flp")]) == Self.called)
  }

  /// Help texts are wrapped, and a command that is wrapped runs as two.
  @Test(arguments: [
    "flags", "record", "import", "info", "merge", "symbolize", "test", "dead", "why",
    "prune", "launch", "timeline", "libraries", "inspect", "size",
    "optimize", "order", "verify", "compare", "gate", "upload", "upload-symbols", "fleet",
  ])
  func noCommandOfAHelpTextIsWrapped(command: String) throws {
    let help = try Command.check([Toolchain.firstlight, "help", command])
    let overview = help.components(separatedBy: "USAGE:")[0]
    let lines = overview.split(separator: "\n", omittingEmptySubsequences: false)
    for (line, next) in zip(lines, lines.dropFirst())
    where line.hasPrefix("  ") && !line.hasSuffix("\\") {
      #expect(next.isEmpty || next.hasPrefix("  "), "\(line)\n\(next)")
    }
  }

  /// A command of a text, with the lines that it goes on in; nil if it has none that starts so.
  private func pasted(_ text: String, _ start: String) -> String? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.firstIndex(where: { $0.hasPrefix("  \(start) ") }) else { return nil }
    var last = first
    while lines[last].hasSuffix("\\") { last += 1 }
    return lines[first...last].joined(separator: "\n")
  }
}
