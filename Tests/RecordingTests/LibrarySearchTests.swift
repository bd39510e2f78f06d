import DebugInfo
import FirstlightModel
import Foundation
import Recording
import TestSupport
import Testing

@Suite struct LibrarySearchTests {
  /// Oracle: the loader itself, by ldd.
  @Test(arguments: ["/usr/bin/git", "/usr/bin/gdb"])
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

  /// A loader that anyone may change, and a library that the loader would run before all others.
  @Test(arguments: ["--dynamic-linker=", "--audit="])
  func whatABinaryNamesIsNotRun(option: String) throws {
    let directory = try TemporaryDirectory()
    let (mark, evil) = (directory.path("ran"), directory.path("ld-evil.so"))
    try directory.write(
      """
      #include <fcntl.h>
      __attribute__((constructor)) static void run(void) { open("\(mark)", O_CREAT, 0600); }
      unsigned la_version(unsigned version) { run(); return version; }
      int main(void) { run(); return 0; }
      """, to: "evil.c")
    try directory.write("int main(void) { return 0; }", to: "main.c")
    let kind = option.hasPrefix("--audit") ? ["-shared", "-fPIC"] : ["-static"]
    try Command.check(["gcc"] + kind + ["evil.c", "-o", evil], in: directory.url)
    try #require(chmod(evil, 0o777) == 0)
    try Command.check(
      ["gcc", "main.c", "-o", "program", "-Wl,\(option)\(evil)"], in: directory.url)
    let facts = try DebugImage(path: directory.path("program"), debugDirectories: []).facts()
    let graph = LibrarySearch.graph(facts)
    #expect(graph.nodes.count == 3 && graph.nodes[0].missing.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: mark))
  }
}
