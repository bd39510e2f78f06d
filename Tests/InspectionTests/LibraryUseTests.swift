import DebugInfo
import Inspection
import Recording
import TestSupport
import Testing

@Suite struct LibraryUseTests {
  /// Names with `é` as one scalar, and as a letter with an accent. Oracle: the file names that the linker was given.
  @Test func librariesWithCanonicallyEqualNamesAreTwo() throws {
    let directory = try TemporaryDirectory()
    let names = ["libcaf\u{e9}.so", "libcafe\u{301}.so"]
    for (number, name) in names.enumerated() {
      try directory.write("int f\(number)(void) { return 1; }", to: "\(number).c")
      try Command.check(
        ["clang", "-shared", "-fPIC", "\(number).c", "-o", name, "-Wl,-soname,\(name)"],
        in: directory.url)
    }
    try directory.write(
      "int f0(void); int f1(void); int main(void) { return f0() + f1(); }", to: "main.c")
    try Command.check(
      ["clang", "main.c", "-o", "program", "-Wl,-rpath,$ORIGIN"] + names.map { "./\($0)" },
      in: directory.url)
    let facts = try DebugImage(path: directory.path("program"), debugDirectories: []).facts()
    let found = LibrarySearch.graph(facts).nodes.map { Array($0.name.utf8) }
    #expect(names.allSatisfy { found.contains(Array($0.utf8)) })
    #expect(LibraryUse.all(of: facts).filter { $0.symbols == 1 }.count == 2)
  }
}
