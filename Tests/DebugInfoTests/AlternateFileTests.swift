import DebugInfo
import Foundation
import Testing

/// Debug information of which `dwz` moved parts to another file, against llvm-symbolizer on the same program
/// before. By gcc: dwz 0.15 does not know the forms that clang uses.
@Suite struct AlternateFileTests {
  /// Two programs that share their debug information, one of them also as it was before dwz, and addresses
  /// in all of its functions.
  private func build(_ tools: Toolbox, _ version: Int = 5) throws -> [UInt64] {
    try tools.write(Fixtures.main, to: "main.c")
    try tools.write(Fixtures.header, to: "shape.h")
    try tools.write(Fixtures.shape, to: "shape.c")
    try tools.run(
      "gcc", "-O2", "-g", "-gdwarf-\(version)", "-Wl,--build-id", "main.c", "shape.c", "-o",
      "program")
    try tools.run("cp", "program", "other")
    try tools.run("cp", "program", "whole")
    return try tools.listedSymbols("whole").filter { $0.size > 0 }.flatMap { symbol in
      (0..<8).map { symbol.address + symbol.size * $0 / 8 }
    }
  }

  /// Moves what both programs have in common to a file; `name` is what they call it.
  private func share(_ tools: Toolbox, _ file: String, as name: String) throws {
    try tools.run("dwz", "-m", file, "-M", name, "program", "other")
  }

  private func expectComplete(
    _ tools: Toolbox, _ addresses: [UInt64], directories: [String] = []
  ) throws {
    let image = try DebugImage(path: tools.path("program"), debugDirectories: directories)
    let expected = try tools.symbolized("whole", addresses)
    #expect(expected.contains { $0.count > 2 && $0.contains("twice") })
    #expect(image.lines(at: addresses) == expected)
    #expect(image.notes.isEmpty)
    let inlined = image.symbolBuild(recordedPath: "program").functions.filter(\.isCopied)
    let twice = try #require(inlined.first { $0.name == "twice" })
    #expect(twice.file?.hasSuffix("/main.c") == true)
    #expect(twice.line == 4)
  }

  @Test(arguments: [4, 5])
  func anAlternateBesideTheFileIsRead(version: Int) throws {
    let tools = try Toolbox()
    let addresses = try build(tools, version)
    try share(tools, "shared", as: "shared")
    try expectComplete(tools, addresses)
  }

  @Test func informationThatIsSharedWithinOneFileIsRead() throws {
    let tools = try Toolbox()
    let addresses = try build(tools)
    try tools.run("dwz", "program")
    try expectComplete(tools, addresses)
  }

  @Test(arguments: [".dwz/shared", "sub/.dwz/shared", ".build-id"])
  func anAlternateBelowADebugDirectoryIsRead(place: String) throws {
    let tools = try Toolbox()
    let addresses = try build(tools)
    var there = tools.path("debug/\(place)")
    try share(tools, "shared", as: there)
    if place == ".build-id" {
      let id = try buildID(tools, "shared")
      there += "/\(id.prefix(2))/\(id.dropFirst(2)).debug"
    }
    try tools.run("mkdir", "-p", (there as NSString).deletingLastPathComponent)
    try tools.run("mv", "shared", there)
    try expectComplete(tools, addresses, directories: [tools.path("debug")])
  }

  @Test func anAlternateOfAnotherBuildIsRefused() throws {
    let tools = try Toolbox()
    let addresses = try build(tools)
    try share(tools, "shared", as: "shared")
    try tools.run("objcopy", "--remove-section=.note.gnu.build-id", "shared")
    try expectIncomplete(tools, "program", addresses)
  }

  /// libdw looks for the file itself if it was not given one, and would wait for a writer.
  @Test(.timeLimit(.minutes(1))) func aPipeInPlaceOfAnAlternateIsNotOpened() throws {
    let tools = try Toolbox()
    let addresses = try build(tools)
    try share(tools, "shared", as: tools.path("shared"))
    try tools.run("rm", "shared")
    try tools.run("mkfifo", "shared")
    try expectIncomplete(tools, "program", addresses)
  }

  private func expectIncomplete(_ tools: Toolbox, _ name: String, _ addresses: [UInt64]) throws {
    let image = try DebugImage(path: tools.path(name), debugDirectories: [])
    let answers = image.lines(at: addresses)
    #expect(!answers.contains { $0.contains("twice") })
    // What the file has itself is told all the same.
    #expect(answers.contains { $0.contains("local_sum") })
    #expect(image.notes.count == 1)
    #expect(image.notes.first?.contains("dwz") == true)
  }

  private func buildID(_ tools: Toolbox, _ name: String) throws -> String {
    let text = try tools.run("readelf", "-n", name)
    let line = try #require(text.split(separator: "\n").first { $0.contains("Build ID") })
    return String(try #require(line.split(separator: " ").last))
  }
}
