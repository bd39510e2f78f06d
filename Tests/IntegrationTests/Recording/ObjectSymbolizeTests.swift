import Foundation
import TestSupport
import Testing

/// `firstlight symbolize` of what is not linked yet, and the verbs that want a program.
@Suite(.tags(.compiler)) struct ObjectSymbolizeTests {
  private let source = """
    int shape_area(int width, int height) {
      return width * height;
    }
    int shape_sides(int kind) {
      return kind == 3 ? 3 : shape_area(kind, kind);
    }

    """

  private func build(_ options: [String] = []) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    let file = try directory.write(source, to: "shape.c")
    try Command.check(
      ["clang", "-g", "-O1", "-c", file, "-o", directory.path("shape.o")] + options)
    return directory
  }

  private func symbolize(_ binary: String, _ words: String...) throws -> CommandResult {
    try Command.run([Toolchain.firstlight, "symbolize", "--binary", binary] + words)
  }

  @Test func anObjectIsAnsweredAsLLVMSymbolizerDoes() throws {
    let directory = try build()
    let object = directory.path("shape.o")
    let addresses = try Command.check(["llvm-nm", object]).split(separator: "\n")
      .compactMap { $0.split(separator: " ").first.map { "0x\($0)" } }
    #expect(addresses.count == 2)
    let oracle = try Command.check(["llvm-symbolizer", "--obj=\(object)"] + addresses)
    #expect(oracle.contains("shape.c:4"))
    let answer = try Command.run(
      [Toolchain.firstlight, "symbolize", "--binary", object] + addresses)
    #expect(answer.output == oracle)
    #expect(answer.status == 0 && answer.errors == "")
    let library = directory.path("libshape.a")
    try Command.check(["ar", "rc", library, object])
    let member = try Command.run(
      [Toolchain.firstlight, "symbolize", "--binary", "\(library)(shape.o)"] + addresses)
    #expect(member.output == oracle)
    #expect(member.status == 0 && member.errors == "")
  }

  @Test func placesAreNamedByFunctionsAndSections() throws {
    let directory = try build(["-ffunction-sections"])
    let object = directory.path("shape.o")
    let byFunction = try symbolize(object, "shape_sides+0x0")
    #expect(byFunction.output.hasPrefix("shape_sides\n"))
    #expect(byFunction.output.contains("shape.c:4"))
    #expect(try symbolize(object, ".text.shape_sides+0x0").output == byFunction.output)
    let wrong = try symbolize(object, "none+0x0", "shape_sides+0x1000", "shape_sides+4", "f")
    #expect(wrong.status == 65)
    #expect(wrong.output.components(separatedBy: "??\n??:0:0\n").count >= 4)
    let lines = wrong.errors.split(separator: "\n")
    #expect(lines.count == 3)
    for (line, text) in zip(
      lines, ["no function or code section", "beyond its end", "or NAME+0xOFFSET"])
    {
      #expect(line.hasPrefix("firstlight: error: argument ") && line.contains(text))
    }
  }

  @Test func anArchiveByItselfIsRefusedWithTheFormThatWorks() throws {
    let directory = try build()
    let library = directory.path("libshape.a")
    try Command.check(["ar", "rc", library, directory.path("shape.o")])
    let result = try symbolize(library, "0x0")
    #expect(result.status == 65 && result.output == "")
    #expect(
      result.errors
        == "firstlight: error: \(library): an archive of object files; "
        + "use a member: '\(library)(shape.o)'\n")
  }

  @Test(arguments: ["inspect", "libraries", "compare"])
  func whatIsAboutProgramsRefusesAnObject(command: String) throws {
    let directory = try build()
    defer { withExtendedLifetime(directory) {} }
    let object = directory.path("shape.o")
    let files = command == "compare" ? [object, object] : [object]
    let result = try Command.run([Toolchain.firstlight, command] + files)
    #expect(result.status == 65 && result.output == "")
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 1)
    #expect(
      lines.first?.hasPrefix("firstlight: error: \(object): a relocatable object file") == true)
  }
}
