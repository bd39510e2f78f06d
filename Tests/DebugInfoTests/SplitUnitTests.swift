import DebugInfo
import Foundation
import Testing

/// Programs whose compiler wrote their entries to `.dwo` files, against llvm-symbolizer.
@Suite struct SplitUnitTests {
  struct Compiler: CustomTestStringConvertible, Sendable {
    var name: String
    var version: Int
    var options: [String] = []

    var testDescription: String { "\(name) DWARF \(version) \(options.joined(separator: " "))" }
  }

  static let compilers = ["gcc", "clang"].flatMap { name in
    [4, 5].flatMap { version in
      [[], ["-ffunction-sections"], ["-gz"]].map {
        Compiler(name: name, version: version, options: $0)
      }
    }
  }

  /// Builds a program and gives addresses in all of its functions.
  private func build(
    _ tools: Toolbox, _ compiler: Compiler = Compiler(name: "clang", version: 5)
  ) throws -> [UInt64] {
    try tools.write(Fixtures.main, to: "main.c")
    try tools.write(Fixtures.header, to: "shape.h")
    try tools.write(Fixtures.shape, to: "shape.c")
    for source in ["main", "shape"] {
      try tools.run(
        [compiler.name, "-O2", "-g", "-gdwarf-\(compiler.version)", "-gsplit-dwarf"]
          + compiler.options + ["-c", "\(source).c", "-o", "\(source).o"])
    }
    try tools.run([compiler.name] + compiler.options + ["main.o", "shape.o", "-o", "program"])
    return try tools.listedSymbols("program").filter { $0.size > 0 }.flatMap { symbol in
      (0..<8).map { symbol.address + symbol.size * $0 / 8 }
    }
  }

  private func lines(_ image: DebugImage, _ addresses: [UInt64]) -> [[String]] {
    let table = image.source.frames(at: addresses, inlines: true)
    return addresses.indices.map { index in
      table.frames(at: index).flatMap {
        [
          $0.function.isEmpty ? "??" : $0.function,
          $0.location.map { "\($0.file):\($0.line):\($0.column)" } ?? "??:0:0",
        ]
      }
    }
  }

  @Test(arguments: compilers)
  func unitsAreJoinedWithTheirEntries(compiler: Compiler) throws {
    let tools = try Toolbox()
    let addresses = try build(tools, compiler)
    let image = try DebugImage(path: tools.path("program"), debugDirectories: [])
    let expected = try tools.symbolized("program", addresses)
    #expect(expected.contains { $0.count > 2 && $0.contains("twice") })
    #expect(lines(image, addresses) == expected)
    #expect(image.notes.isEmpty)
    let build = image.symbolBuild(recordedPath: "program")
    let twice = try #require(build.functions.first { $0.isCopied && $0.name == "twice" })
    #expect(twice.file?.hasSuffix("/main.c") == true)
    #expect(twice.line == 4)
    let never = try #require(build.guarded.first { $0.name == "never" })
    #expect(never.file?.hasSuffix("/main.c") == true)
    #expect(never.line > 0)
  }

  /// The program is in a folder below the one where its compiler ran, or was moved with its files.
  @Test(arguments: ["sub/program", "moved/program"])
  func filesAreFoundWhereTheyWereWrittenOrBesideTheProgram(place: String) throws {
    let tools = try Toolbox()
    let addresses = try build(tools)
    let expected = try tools.symbolized("program", addresses)
    try tools.run("mkdir", "sub", "moved")
    try tools.run("cp", "program", place)
    if place.hasPrefix("moved") { try tools.run("sh", "-c", "mv *.dwo moved") }
    let image = try DebugImage(path: tools.path(place), debugDirectories: [])
    #expect(lines(image, addresses) == expected)
    #expect(image.notes.isEmpty)
  }

  @Test func filesOfAnotherBuildAreRefused() throws {
    let tools = try Toolbox()
    let addresses = try build(tools)
    try tools.run("sh", "-c", "cp main.dwo kept; cp shape.dwo main.dwo; cp kept shape.dwo")
    try expectIncomplete(tools, "program", addresses)
  }

  /// libdw opens the file itself, and would wait for a writer.
  @Test(.timeLimit(.minutes(1)), arguments: ["program", "sub/program"])
  func aPipeInPlaceOfAFileIsNotOpened(place: String) throws {
    let tools = try Toolbox()
    let addresses = try build(tools)
    try tools.run("mkdir", "sub")
    try tools.run("sh", "-c", "cp program sub/copy && mv sub/copy \(place); rm *.dwo")
    try tools.run("mkfifo", "main.dwo", "shape.dwo")
    try expectIncomplete(tools, place, addresses)
  }

  @Test func aPackageIsNamedAsWhatCannotBeRead() throws {
    let tools = try Toolbox()
    let addresses = try build(tools)
    try tools.run("dwp", "main.dwo", "shape.dwo", "-o", "program.dwp")
    try tools.run("rm", "main.dwo", "shape.dwo")
    let note = try expectIncomplete(tools, "program", addresses)
    #expect(note.contains("program.dwp"))
    #expect(note.contains(/libdw 0\.\d+/))
  }

  @discardableResult
  private func expectIncomplete(
    _ tools: Toolbox, _ name: String, _ addresses: [UInt64]
  ) throws -> String {
    let image = try DebugImage(path: tools.path(name), debugDirectories: [])
    let answers = lines(image, addresses)
    #expect(!answers.contains { $0.contains("twice") })
    // What the program has itself is told all the same.
    #expect(answers.contains { $0.contains("local_sum") && $0[1].contains("/main.c:") })
    #expect(image.notes.count == 1)
    let note = try #require(image.notes.first)
    #expect(note.contains(".dwo"))
    return note
  }

  /// Whatever stands in the file, the program is answered for.
  @Test func aDamagedFileDoesNoHarm() throws {
    let tools = try Toolbox()
    let addresses = try build(tools)
    let whole = try Data(contentsOf: URL(fileURLWithPath: tools.path("main.dwo")))
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var damaged = whole
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      try damaged.write(to: URL(fileURLWithPath: tools.path("main.dwo")))
      let image = try DebugImage(path: tools.path("program"), debugDirectories: [])
      #expect(lines(image, addresses).count == addresses.count)
      _ = image.symbolBuild(recordedPath: "program")
    }
  }
}
