import Foundation
import TestSupport
import Testing

/// A Swift program of types of all kinds, with the table that `optimize` gives it. Oracles: the runtime itself,
/// asked about each type and each protocol, and what gdb counts.
@Suite(.serialized, .tags(.compiler)) struct ConformanceTests {
  private static let build = "swift build -c release --static-swift-stdlib --scratch-path .own"

  private func project() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    let source = Toolchain.project.appending(path: "Tests/Fixtures/conformances").path
    try Command.check(["cp", "-r", "\(source)/.", directory.url.path])
    return directory
  }

  private func optimize(_ more: [String], in directory: TemporaryDirectory) throws -> CommandResult
  {
    try Command.run(
      [
        Toolchain.firstlight, "optimize", "--binary", ".own/release/Kinds", "--build", Self.build,
        "-o", "out", "--runs", "5", "--recorded-runs", "1", "--warm", "--no-prefetch",
      ] + more, in: directory.url)
  }

  /// How often the runtime scans all records, as gdb counts it.
  private func scans(_ program: String, in directory: TemporaryDirectory) throws -> Int {
    let function = "swift_conformsToProtocolMaybeInstantiateSuperclasses"
    let text = try Command.check(
      [
        "gdb", "-q", "-batch", "-nx", "-ex", "break \(function)", "-ex", "ignore 1 1000000", "-ex",
        "run", "-ex", "info breakpoints", program,
      ], in: directory.url)
    let match = try #require(text.firstMatch(of: /already hit (\d+) time/), "\(text)")
    return try #require(Int(match.1))
  }

  @Test func aProgramAnswersAsTheRuntimeDoes() throws {
    let directory = try project()
    let result = try optimize([], in: directory)
    try #require(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("Swift conformance look-ups answered from a table of"))
    let (before, after) = ("out/before/Kinds", "out/after/Kinds")

    // It asks the runtime about what the table cannot tell, and no more.
    let (old, new) = (
      try scans(before, in: directory), try scans(after, in: directory)
    )
    #expect(old > 1000 && new * 3 < old, "\(old) scans before, \(new) after")

    for (program, isSaid) in [(before, false), (after, true)] {
      let launch = try Command.check(
        [Toolchain.firstlight, "launch", "--runs", "1", "--no-calls", "--", program],
        in: directory.url)
      #expect(launch.contains("answers conformance look-ups from a table") == isSaid, "\(launch)")
    }

    // All types, and all protocols.
    let check = try Command.run([after, "check"], in: directory.url)
    #expect(check.status == 0 && check.output.contains(" 0 different"), "\(check.output)")

    // Two threads, an image that comes later, and the runtime's warning.
    for mode in [[], ["threads"], ["load"], ["warn"]] {
      let plain = try Command.run([before] + mode, in: directory.url)
      let tabled = try Command.run([after] + mode, in: directory.url)
      #expect(plain.status == 0 && tabled.status == 0)
      #expect(plain.output == tabled.output && plain.errors == tabled.errors, "\(mode)")
      if mode == ["load"] { #expect(tabled.output == "false\ntrue false\n") }
      if mode == ["warn"] { #expect(tabled.errors.contains("also inherits conformance from")) }
    }

    // The flags make the same program again, and in a changed one the table says nothing.
    let last = try #require(result.output.split(separator: "\n").last).description
    try Command.check(["sh", "-c", last], in: directory.url)
    #expect(try scans(".own/release/Kinds", in: directory) == new)
    try directory.write(
      "import Shapes\nstruct Unknown: Named { var name = \"\" }\n", to: "Sources/Kinds/New.swift")
    try directory.write(
      try String(contentsOfFile: directory.path("Sources/Kinds/Questions.swift"), encoding: .utf8)
        .replacing("ask(Derived(),", with: "ask(Unknown(), depth: 0)\n  ask(Derived(),"),
      to: "Sources/Kinds/Questions.swift")
    try Command.check(["sh", "-c", last], in: directory.url)
    let changed = try Command.run([".own/release/Kinds"], in: directory.url)
    #expect(changed.output == "26 4 1\n", "\(changed.output)")
    #expect(try scans(".own/release/Kinds", in: directory) > new * 3)
  }

  @Test func theTableCanBeLeftOut() throws {
    let directory = try project()
    let result = try optimize(["--without", "conformances"], in: directory)
    try #require(result.status == 0, "\(result.errors)")
    #expect(!result.output.contains("conformance"), "\(result.output)")
    #expect(!FileManager.default.fileExists(atPath: directory.path("out/Kinds.conformances")))
    let names = try Command.check(["llvm-nm", "out/after/Kinds"], in: directory.url)
    #expect(!names.contains("__wrap_swift_conformsToProtocol"))
  }

  /// The commands are those of Documentation/Optimizing.md.
  @Test func aReleaseMakesItsOwnTable() throws {
    let directory = try project()
    let page = try String(
      contentsOf: Toolchain.project.appending(path: "Documentation/Optimizing.md"), encoding: .utf8)
    let block = try #require(
      page.split(separator: "```").first { $0.contains("$(firstlight conformances") })
    let commands = block.replacing(".build/release/app", with: ".build/release/Kinds")
    let bin = Toolchain.firstlight.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    let made = try Command.run(
      ["sh", "-euc", "PATH=\(bin):$PATH\n\(commands)"], in: directory.url)
    try #require(made.status == 0, "\(made.errors)")
    let program = ".build/release/Kinds"
    let held = try Command.run(
      [Toolchain.firstlight, "conformances", "--check", program, "-o", "app.conformances"],
      in: directory.url)
    #expect(held.status == 0 && held.errors.contains("has its table of"), "\(held.errors)")
    let check = try Command.run([program, "check"], in: directory.url)
    #expect(check.status == 0 && check.output.contains(" 0 different"), "\(check.output)")

    let shared = try Command.run(
      [Toolchain.firstlight, "conformances", Toolchain.firstlight, "-o", "x.conformances"],
      in: directory.url)
    #expect(shared.status == 65 && shared.errors.contains("--static-swift-stdlib"))
  }
}
