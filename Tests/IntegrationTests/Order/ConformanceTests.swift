import Foundation
import TestSupport
import Testing

/// A Swift program of types of all kinds, with the index that `optimize` gives it. Oracles: the runtime itself,
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
    #expect(result.output.contains("Swift conformance look-ups answered from an index of"))
    let (before, after) = ("out/before/Kinds", "out/after/Kinds")

    // It asks the runtime about what the index cannot tell, and no more.
    let (old, new) = (
      try scans(before, in: directory), try scans(after, in: directory)
    )
    #expect(old > 1000 && new * 3 < old, "\(old) scans before, \(new) after")

    for (program, isSaid) in [(before, false), (after, true)] {
      let launch = try Command.check(
        [Toolchain.firstlight, "launch", "--runs", "1", "--no-calls", "--", program],
        in: directory.url)
      #expect(launch.contains("answers conformance look-ups from an index") == isSaid, "\(launch)")
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

    // A library's records are not in the index, and that is said.
    let other = try Command.check(
      [Toolchain.firstlight, "launch", "--runs", "1", "--no-calls", "--", after, "load"],
      in: directory.url)
    #expect(other.contains("does not use it: a library has conformance records, too"), "\(other)")

    // The flags make the same program again, and a changed one answers from its own records.
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
    #expect(try scans(".own/release/Kinds", in: directory) < new * 2)
  }

  /// Bits 21 to 23 of a descriptor's flags, its fourth word, mean nothing in Swift 6.0 to 6.3.
  @Test func recordsThatAreNotKnownAreLeftToTheRuntime() throws {
    let directory = try project()
    let program = try buildAsDocumented(in: directory)
    let name = "$s5Kinds3DogC6Shapes5NamedAAMc"
    let symbols = try Command.check(["llvm-nm", program], in: directory.url)
    let line = try #require(symbols.split(separator: "\n").first { $0.hasSuffix(" \(name)") })
    let address = try #require(UInt64(line.prefix(16), radix: 16))
    let sections = try Command.check(["llvm-readelf", "-SW", program], in: directory.url)
    let offset = try #require(
      sections.split(separator: "\n").compactMap { line -> UInt64? in
        let words = line.drop { $0 != "]" }.split(separator: " ").dropFirst()
        let numbers = words.dropFirst(2).prefix(3).compactMap { UInt64($0, radix: 16) }
        guard numbers.count == 3, numbers[0] <= address, address < numbers[0] + numbers[2] else {
          return nil
        }
        return address - numbers[0] + numbers[1]
      }.first)
    let url = directory.url.appending(path: program)
    var bytes = try Data(contentsOf: url)
    bytes[Int(offset) + 14] |= 0x20
    try FileManager.default.removeItem(at: url)
    try bytes.write(to: url)
    try Command.check(["chmod", "+x", program], in: directory.url)
    let launch = try Command.check(
      [Toolchain.firstlight, "launch", "--runs", "1", "--no-calls", "--", program],
      in: directory.url)
    #expect(launch.contains("does not use it: a conformance record is not as in"), "\(launch)")
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

  /// The program, built by the command of Documentation/Optimizing.md.
  private func buildAsDocumented(in directory: TemporaryDirectory) throws -> String {
    let page = try String(
      contentsOf: Toolchain.project.appending(path: "Documentation/Optimizing.md"), encoding: .utf8)
    let block = try #require(
      page.split(separator: "```").first {
        $0.contains("$(firstlight flags swiftpm --conformances)")
      })
    let bin = Toolchain.firstlight.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    try Command.check(["sh", "-euc", "PATH=\(bin):$PATH\n\(block)"], in: directory.url)
    return ".build/release/Kinds"
  }

  @Test func anyBuildCanHaveTheIndex() throws {
    let directory = try project()
    let program = try buildAsDocumented(in: directory)
    let check = try Command.run([program, "check"], in: directory.url)
    #expect(check.status == 0 && check.output.contains(" 0 different"), "\(check.output)")
    let inspection = try Command.check(
      [Toolchain.firstlight, "inspect", program], in: directory.url)
    #expect(inspection.contains("for the program's index of them"))
    // A toolset has no tools without options, which SwiftPM would refuse.
    let flags = try Command.check(
      [
        Toolchain.firstlight, "flags", "swiftpm", "--conformances", "--response-file", "flags.json",
      ], in: directory.url
    ).trimmingCharacters(in: .newlines)
    let again = try Command.run(
      ["sh", "-c", "swift build -c release --static-swift-stdlib \(flags)"], in: directory.url)
    #expect(again.status == 0 && !again.errors.contains("error"), "\(again.errors)")
  }
}
