import Building
import Foundation
import TestSupport
import Testing

/// Oracle: the loader, which starts the copy or does not.
@Suite struct OriginLibrariesTests {
  /// A library beside the program or in a folder beside the program's, which needs another beside it.
  @Test(arguments: ["", "/../lib"])
  func aCopyFindsWhatTheOriginalFinds(place: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("int inner(void) { return 7; }", to: "inner.c")
    try directory.write("int inner(void); int outer(void) { return inner(); }", to: "outer.c")
    try directory.write("int outer(void); int main(void) { return outer(); }", to: "main.c")
    try Command.check(
      [
        "sh", "-c",
        """
        mkdir -p tree/bin tree/lib new/bin && cd tree/bin && libs=./\(place.dropFirst()) &&
        clang -shared -fPIC ../../inner.c -o $libs/libinner.so &&
        clang -shared -fPIC ../../outer.c -o $libs/libouter.so -L$libs -linner \
          -Wl,-rpath,'$ORIGIN' &&
        clang ../../main.c -o program -L$libs -louter -Wl,-rpath,'$ORIGIN\(place)' \
          -Wl,-rpath-link,$libs &&
        cp program ../../new/bin/
        """,
      ], in: directory.url)
    let copy = directory.path("new/bin/program")
    #expect(try Command.run([copy]).status == 127)
    OriginLibraries.link(
      from: directory.path("tree/bin/program"), for: copy, within: directory.path("new"))
    #expect(try Command.run([copy]).status == 7)
  }

  @Test func nothingIsTouchedButLinksInTheFolder() throws {
    let directory = try TemporaryDirectory()
    try directory.write("int outer(void) { return 7; }", to: "outer.c")
    try directory.write("int outer(void); int main(void) { return outer(); }", to: "main.c")
    try Command.check(
      [
        "sh", "-c",
        """
        mkdir -p tree/bin tree/lib new/bin &&
        clang -shared -fPIC outer.c -o tree/lib/libouter.so &&
        clang main.c -o tree/bin/program -Ltree/lib -louter -Wl,-rpath,'$ORIGIN/../lib' &&
        cp tree/bin/program new/bin/
        """,
      ], in: directory.url)
    let (original, copy) = (directory.path("tree/bin/program"), directory.path("new/bin/program"))
    OriginLibraries.link(from: original, for: copy, within: directory.path("new/bin"))
    #expect(!FileManager.default.fileExists(atPath: directory.path("new/lib")))
    // Nor is a file replaced that is no link.
    let own = try directory.write("mine", to: "new/lib/libouter.so")
    OriginLibraries.link(from: original, for: copy, within: directory.url.path)
    #expect(try String(contentsOfFile: own, encoding: .utf8) == "mine")
  }
}
