import DebugInfo
import FirstlightModel
import Foundation
import Testing

/// Dynamic symbols with their versions; readelf is the oracle.
@Suite struct DynamicSymbolTests {
  /// "name@@version" of a symbol table's lines that are meant, as readelf writes them.
  private func listed(_ tools: Toolbox, _ file: String, undefined: Bool) throws -> Set<String> {
    var found: Set<String> = []
    for line in try tools.run("readelf", "--dyn-syms", "-W", file).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 7, words[0].hasSuffix(":"), words[0] != "Num:", words[4] != "LOCAL",
        (words[6] == "UND") == undefined
      else { continue }
      found.insert(String(words[7]))
    }
    return found
  }

  private func definitions(_ facts: DynamicFacts) -> Set<String> {
    Set(
      facts.definitions.filter { !$0.isStub }.map {
        // Of the symbols that stand for a version itself readelf writes the name alone.
        $0.version.isEmpty || $0.version == $0.name
          ? $0.name : "\($0.name)\($0.isHidden ? "@" : "@@")\($0.version)"
      })
  }

  private func references(_ facts: DynamicFacts) -> Set<String> {
    Set(
      facts.references.filter(\.isUndefined).map {
        $0.version.isEmpty ? $0.name : "\($0.name)@\($0.version)"
      })
  }

  @Test(arguments: ["libc.so.6", "libstdc++.so.6", "libm.so.6"])
  func versionsAreThoseThatReadelfLists(library: String) throws {
    let tools = try Toolbox()
    let path = "/usr/lib/x86_64-linux-gnu/\(library)"
    guard FileManager.default.fileExists(atPath: path) else {
      try Test.cancel("\(path) is not installed")
    }
    let facts = try DebugImage(path: path).facts().dynamic
    #expect(facts.soname == library)
    #expect(definitions(facts) == (try listed(tools, path, undefined: false)))
    #expect(references(facts) == (try listed(tools, path, undefined: true)))
  }

  /// Functions that nm lists as dynamic and defined; none of them is weak.
  private func exported(_ tools: Toolbox, _ file: String) throws -> Set<TextBytes> {
    let lines = try tools.run("nm", "-D", "--defined-only", file).split(separator: "\n")
    let words = lines.map { $0.split(separator: " ") }.filter { $0.count == 3 }
    return Set(texts: words.filter { $0[1] == "T" }.map { $0[2] })
  }

  @Test(arguments: [["-shared", "-fPIC"], ["-rdynamic"], []])
  func exportedFunctionsAreThoseThatNmLists(options: [String]) throws {
    let tools = try Toolbox()
    try tools.write(
      """
      int table[4]; int shown(int x) { return x + 1; } static int kept(int x) { return x; }
      __attribute__((visibility("hidden"))) int hidden(int x) { return kept(x); }
      int main(int count, char **words) { (void)words; return hidden(count); }
      """, to: "e.c")
    try tools.run(["gcc", "-O0", "e.c", "-o", "e"] + options)
    let names = try DebugImage(path: tools.path("e")).exportedFunctions
    let listed = try exported(tools, "e")
    // Those of the start files are none of ours.
    #expect(names.filter { !$0.text.hasPrefix("_") } == listed.filter { !$0.text.hasPrefix("_") })
    #expect(names.contains("shown") == !options.isEmpty)
    #expect(!names.contains("hidden") && !names.contains("table"))
  }

  @Test func allNamesOfExportedCodeAreExported() throws {
    let tools = try Toolbox()
    try tools.write(
      """
      __attribute__((visibility("hidden"))) int own(void) { return 1; }
      int other(void) __attribute__((alias("own")));
      """, to: "a.c")
    try tools.run("gcc", "-shared", "-fPIC", "a.c", "-o", "a.so")
    #expect(try DebugImage(path: tools.path("a.so")).exportedFunctions == ["own", "other"])
  }

  @Test func aVersionScriptsSymbolsCarryItsVersions() throws {
    let tools = try Toolbox()
    try tools.write("V1 { global: old; f; local: *; }; V2 { global: g; } V1;", to: "map")
    try tools.write(
      """
      __asm__(".symver f_old, f@V1");
      __asm__(".symver f_new, f@@V2");
      int f_old(void) { return 1; } int f_new(void) { return 2; }
      int old(void) { return 3; } int g(void) { return 4; } int hidden(void) { return 5; }
      """, to: "l.c")
    try tools.run(
      ["clang", "-shared", "-fPIC", "-fuse-ld=lld", "-Wl,--version-script=map", "l.c", "-o", "l"])
    let facts = try DebugImage(path: tools.path("l")).facts().dynamic
    #expect(definitions(facts) == (try listed(tools, "l", undefined: false)))
    #expect(facts.definitions.contains { $0.name == "f" && $0.version == "V1" && $0.isHidden })
    #expect(facts.definitions.contains { $0.name == "f" && $0.version == "V2" && !$0.isHidden })
    #expect(!facts.definitions.contains { $0.name == "hidden" })
  }

  @Test func relocationsTellWhatASymbolIsUsedFor() throws {
    let tools = try Toolbox()
    try tools.write(
      """
      #include <stdio.h>
      #include <stdlib.h>
      extern char **environ;
      void *taken = (void *)atoi;
      int main(void) { puts(environ[0]); return taken == 0; }
      """, to: "p.c")
    try tools.run(["clang", "-fuse-ld=lld", "-fno-pie", "-no-pie", "p.c", "-o", "p"])
    let facts = try DebugImage(path: tools.path("p")).facts().dynamic
    func uses(_ name: String) -> SymbolReference.Uses? {
      facts.references.first { $0.name == name }?.uses
    }
    #expect(uses("puts") == .call)
    #expect(uses("environ") == .copy)
    #expect(facts.references.first { $0.name == "environ" }?.isUndefined == false)
  }
}
