import FirstlightModel
import Foundation
import TestSupport
import Testing

@testable import NeverCalled
@testable import Pruning

/// What goes with a function of C, by the ranges that clang gives.
@Suite struct ClangRemovalTests {
  /// Removes functions that are marked with `//-`, by clang's own dump.
  private func pruned(_ marked: String) throws -> (text: String, removal: SourceRemoval) {
    var targets: [DeclarationTarget] = []
    var lines: [Substring] = []
    for line in marked.split(separator: "\n", omittingEmptySubsequences: false) {
      let parts = line.split(separator: " //- ", maxSplits: 1)
      lines.append(parts.first ?? "")
      if parts.count == 2 { targets.append(.init(name: String(parts[1]), line: lines.count)) }
    }
    let source = lines.joined(separator: "\n")
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).c")
    try Data(source.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let functions = try ClangReader(root: file.deletingLastPathComponent().path).functions(
      named: Set(texts: targets.map(\.name)), in: file.path)
    let removal = ClangRemoval(Array(source.utf8)).removal(of: targets, among: functions)
    var rest = Array(source.utf8)
    for range in removal.ranges.reversed() { rest.removeSubrange(range) }
    return (String(decoding: rest, as: UTF8.self), removal)
  }

  @Test func functionGoesWithItsCommentsAndAttributes() throws {
    let (text, removal) = try pruned(
      """
      /* Of the file. */
      #include <stddef.h>

      /* Of first. */
      static int first(int x) { return x; }

      // Remark.
      /** Of second.
       *  In full. */
      __attribute__((noinline))
      static size_t
      second(int x) //- second
      {
        return first(x);
      }  // end of second

      int third(void) { return 1; }

      """)
    #expect(
      text == """
        /* Of the file. */
        #include <stddef.h>

        /* Of first. */
        static int first(int x) { return x; }

        int third(void) { return 1; }

        """)
    #expect(removal.removed.map(\.name) == ["second"])
  }

  @Test func prototypesGo() throws {
    let (text, _) = try pruned(
      """
      int a(int x); //- a
      extern int b(int x)
        __attribute__((const)); // of b
      int c(void);
      int a(int x) { return x; } //- a

      """.replacing("b(int x)\n", with: "b(int x) //- b\n"))
    #expect(text == "int c(void);\n")
  }

  @Test func functionsInTheOldStyleGo() throws {
    let (text, _) = try pruned(
      "int keep;\nint a(x, y) //- a\n  int x;\n  int y;\n{\n  return x + y;\n}\n")
    #expect(text == "int keep;\n")
  }

  @Test func macrosStay() throws {
    for (macro, use) in [
      ("static int name(void) { return 1; }", "F(a)"),
      ("static int name(void)", "F(a) { return 1; }"),
      ("int name(void)", "F(a);"),
    ] {
      let source = "#define F(name) \(macro)\n\(use) //- a\n"
      let (text, removal) = try pruned(source)
      #expect(text == source.replacing(" //- a", with: ""))
      #expect(removal.kept.values.first == .macro, "\(use)")
    }
  }

  @Test func macrosForStorageAndAttributesGoWithTheirFunction() throws {
    let macros = """
      #define LOCAL static
      #define NOINLINE __attribute__((noinline))
      #define DECLARE(type) extern type
      #define API
      #define NOTHROW __attribute__((nothrow))
      """
    for function in [
      "LOCAL int a(void) { return 1; } //- a", "NOINLINE static int a(void) { return 1; } //- a",
      "DECLARE(int)\na(void) //- a\n{\n  return 1;\n}", "API int a(void) { return 1; } //- a",
      "API LOCAL API int a(void) { return 1; } //- a", "API int a(void) NOTHROW; //- a",
      "#define LONG \\\n  1\nint a(void) { return 1; } //- a",
      "int x; // of x\nint a(void) { return 1; } //- a",
    ] {
      let (text, removal) = try pruned("\(macros)\n\(function)\nint b;\n")
      #expect(removal.kept.isEmpty, "\(function)")
      #expect(
        !text.contains("API int") && !text.contains("DECLARE(int)") && text.hasSuffix("int b;\n"),
        "\(text)")
    }
  }

  /// In another configuration the line may be a part of the declaration, or a declaration of its own.
  @Test(arguments: ["API\n", "DECLARE_ALL(x)\n", "API /* exported */ ", "#ifdef X\nAPI\n#endif\n"])
  func textThatMayBelongToAFunctionKeepsIt(text: String) throws {
    let macros = "#define API\n#define DECLARE_ALL(x)\n"
    #expect(try reason("\(macros)\(text)int a(void) { return 1; } //- a\n") == .unclearStart)
  }

  @Test func whatIsDeclaredWithOthersStays() throws {
    #expect(
      try pruned("int a(int), b(int); //- a\n").removal.kept.values.first == .sharedDeclaration)
    #expect(
      try pruned("int a(int), b(int); //- b\n").removal.kept.values.first == .sharedDeclaration)
  }

  @Test func conditionalCodeStays() throws {
    #expect(
      try pruned("#ifndef X\nint a(void) { return 1; } //- a\n#endif\n").removal.kept.values.first
        == .conditional)
    #expect(
      try pruned("#ifndef A_H\n#define A_H\nint a(void); //- a\n#endif\n").text
        == "#ifndef A_H\n#define A_H\n#endif\n")
  }

  private func reason(_ marked: String) throws -> KeepingReason? {
    try pruned(marked).removal.kept.values.first
  }

  @Test func functionsWithPreprocessorLinesStay() throws {
    #expect(
      try reason("int a(void) //- a\n{\n#ifdef X\n}\nint b(void)\n{\n#endif\n}\n") == .directive)
    #expect(
      try reason("int a(void) //- a\n{\n#define N 3\n  return N;\n}\nint b = N;\n") == .directive)
    // One that ends on the line of another function.
    #expect(try reason("int a(void) { return 1; } //- a\n#define N 3\n") == nil)
  }

  @Test func functionsThatDefineATypeStay() throws {
    #expect(
      try reason("struct s { int x; } a(void) { struct s s = {1}; return s; } //- a\n")
        == .typeDefinition)
    #expect(try reason("enum e { one } a(void); //- a\n") == .typeDefinition)
    #expect(try reason("int a(enum { one } x) { return x; } //- a\n") == .typeDefinition)
    #expect(try reason("int a(void) { struct s { int x; } s = {1}; return s.x; } //- a\n") == nil)
  }

  @Test(arguments: [
    "__attribute__((unused)) static void a(void) {} //- a\n",
    "#define __maybe_unused __attribute__((__unused__))\nstatic void __maybe_unused a(void) {} //- a\n",
    "static void a(void) __attribute__((unused));\nstatic void a(void) {} //- a\n",
  ])
  func functionsMarkedAsUnusedStay(source: String) throws {
    #expect(try reason(source) == .markedUnused)
    #expect(try reason("int a(int x __attribute__((unused))) { return 1; } //- a\n") == nil)
  }

  @Test func functionsThatALinkerOrLoaderReachesStay() throws {
    for attribute in ["used", "weak", "constructor", "section(\"x\")"] {
      let source = "#define M __attribute__((\(attribute)))\nint M a(void) { return 1; } //- a\n"
      #expect(try reason(source) == .linkerAttribute, "\(attribute)")
    }
  }

  @Test func severalFunctionsOfALineGoOnTheirOwn() throws {
    let file = try TemporaryDirectory()
    let source = "int a(void) { return 1; } int b(void) { return 2; } int c(void) { return 3; }\n"
    try file.write(source, to: "a.c")
    let functions = try ClangReader(root: "/").functions(named: ["b"], in: file.path("a.c"))
    let removal = ClangRemoval(Array(source.utf8)).removal(
      of: [DeclarationTarget(name: "b", line: 1)], among: functions)
    var rest = Array(source.utf8)
    for range in removal.ranges { rest.removeSubrange(range) }
    #expect(
      String(decoding: rest, as: UTF8.self)
        == "int a(void) { return 1; } int c(void) { return 3; }\n")
  }

  @Test func namesThatAreMacrosInTheSourceAreKept() throws {
    let source =
      "#define a(x) b(x)\nint (a)(int x) { return x; } //- a\nint b(int x) { return x; }\n"
    #expect(try pruned(source).removal.removed.isEmpty)
  }

  @Test func functionsOfOtherFilesAreNotFound() throws {
    #expect(try pruned("int b;\n//- a\n").removal.removed.isEmpty)
    let other = ClangFunction(name: "abc", nameOffset: 900, range: 800..<1000, body: 850)
    let removal = ClangRemoval(Array("int abc;\n".utf8)).removal(
      of: [DeclarationTarget(name: "abc", line: 1)], among: [other])
    #expect(removal.kept.values.first == .notFound)
  }
}
