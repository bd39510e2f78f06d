import TestSupport
import Testing

/// Functions that users of a library may call can be deleted on request alone.
@Suite(.tags(.compiler)) struct PublicInterfaceTests {
  private static let header = """
    int api_open(int);
    int api_close(int);

    """
  private static let source = """
    #include "api.h"
    static int helper(int x) { return x * 3; }
    int unlisted(int x) { return x - 1; }
    int api_open(int x) { return x + 1; }
    int api_close(int x) { return helper(x); }

    """

  private func project(_ makefile: String) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.write(Self.header, to: "api.h")
    try directory.write(Self.source, to: "api.c")
    try directory.write(
      "#include \"api.h\"\nint main(void) { return api_open(-1); }\n", to: "main.c")
    try directory.write(makefile, to: "Makefile")
    try Command.check(
      [
        "gcc", "-g", "-O0", "-ffunction-sections", "-Wl,--emit-relocs", "api.c", "main.c", "-o",
        "app",
      ], in: directory.url)
    try Command.check(
      [Toolchain.firstlight, "record", "--no-rebuild", "-o", "a.flp", "./app"], in: directory.url)
    return directory
  }

  private func deletable(
    _ directory: TemporaryDirectory, _ words: String..., isKept: Bool = false
  ) throws -> [String] {
    let result = try Command.run(
      [Toolchain.firstlight, "dead", "a.flp", "--deletable", "--format", "github-actions"] + words,
      in: directory.url)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("1 function that users of a library may call") == isKept)
    return Answer.annotated(result.output).sorted()
  }

  @Test func whatAHeaderOfALibraryDeclaresStays() throws {
    let directory = try project("libapi.a: api.o\n\t$(AR) rcs $@ $^\n")
    #expect(try deletable(directory, isKept: true) == ["unlisted"])
    #expect(try deletable(directory, "--public") == ["api_close", "helper", "unlisted"])
    func firstlight(_ words: String...) throws -> CommandResult {
      try Command.run([Toolchain.firstlight] + words, in: directory.url)
    }
    let list = try firstlight("dead", "a.flp", "--public").output
    #expect(list.contains("unreferenced, with 1 other function"), "\(list)")
    #expect(list.contains("public: declared in api.h"), "\(list)")
    #expect(
      try firstlight("why", "api_close", "a.flp").output.contains("public: declared in api.h"))
    let kept = try firstlight("prune", "a.flp").output
    #expect(kept.contains("-int unlisted(int x)") && !kept.contains("-int api_close"))
    let pruned = try firstlight("prune", "a.flp", "--public").output
    #expect(pruned.contains("-int api_close(int);") && pruned.contains("-static int helper"))
    #expect(try firstlight("dead", "a.flp", "--max-deletable", "1").status == 0)
    #expect(try firstlight("dead", "a.flp", "--public", "--max-deletable", "2").status == 1)

    // Nothing can be deleted that is named elsewhere; the command that shows it asks the same question.
    try directory.write("api_close helper unlisted\n", to: "names.sh")
    let nothing = try firstlight("dead", "a.flp", "--deletable", "--public").output
    #expect(nothing.contains("firstlight dead --index auto --public lists them"), "\(nothing)")
  }

  @Test func headersOfAProgramDoNotCount() throws {
    let directory = try project("app: api.o main.o\n\t$(CC) -o $@ $^\n")
    #expect(try deletable(directory) == ["api_close", "helper", "unlisted"])
  }
}
