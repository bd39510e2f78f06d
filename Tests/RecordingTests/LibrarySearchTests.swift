import DebugInfo
import FirstlightModel
import Foundation
import Recording
import TestSupport
import Testing

@Suite struct LibrarySearchTests {
  /// Oracle: the loader itself, by ldd.
  @Test(arguments: ["/usr/bin/git", "/usr/bin/python3", "/usr/bin/gdb", "/bin/sh"])
  func librariesAreFoundWhereTheLoaderFindsThem(program: String) throws {
    let path = try Command.check(["realpath", program]).trimmingCharacters(in: .newlines)
    let facts = try DebugImage(path: path, debugDirectories: []).facts()
    let found = LibrarySearch.graph(facts).nodes.dropFirst().map(\.path)
    let told = try Command.check(["ldd", path]).split(separator: "\n").compactMap { line in
      line.split(separator: " ").first { $0.hasPrefix("/") }.map(String.init)
    }
    func real(_ paths: [String]) throws -> Set<String> {
      try Set(Command.check(["realpath"] + paths).split(separator: "\n").map(String.init))
    }
    // The loader itself is there without being needed.
    let loader = try real([try #require(facts.interpreter)])
    #expect(try real(found).subtracting(loader) == real(told).subtracting(loader))
  }

  @Test func missingLibrariesAreReported() throws {
    let directory = try TemporaryDirectory()
    try directory.write("int there(void) { return 1; }", to: "there.c")
    try directory.write("int there(void); int main(void) { return there(); }", to: "main.c")
    try Command.check(
      ["clang", "-shared", "-fPIC", "there.c", "-o", "libthere.so"], in: directory.url)
    try Command.check(["clang", "main.c", "-o", "program", "libthere.so"], in: directory.url)
    let facts = try DebugImage(path: directory.path("program"), debugDirectories: []).facts()
    let graph = LibrarySearch.graph(facts)
    #expect(!graph.nodes.dropFirst().contains { $0.path.hasSuffix("/libthere.so") })
  }
}
