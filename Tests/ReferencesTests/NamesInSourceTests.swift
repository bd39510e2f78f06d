import Testing

@testable import References

/// Which names in source are uses.
@Suite struct NamesInSourceTests {
  @Test(arguments: [
    "f(1);", "return f(1);", "int x = f(1);", "x = a * f(1);", "call(&f);", "table[] = { f };",
    "else f(1);", "object->f(1);", "space::f(1);", "#define CALL f(1)", "/* g */ f(1);",
    "if (f(1)) {", "let x = f(1);", "use space::f;", "\"//\"; f(1);",
  ])
  func usesAreFound(line: String) {
    let uses = NamesInSource.all(in: "\n" + line, of: ["f"])
    #expect(uses.map(\.line) == [2] && uses.allSatisfy { !$0.isDeclaration })
  }

  @Test(arguments: [
    "int f(int);", "static inline char *f(int x) {", "std::vector<int> f();", "pub fn f(x: i32) {",
  ])
  func declarationsAreFound(line: String) {
    #expect(NamesInSource.all(in: line, of: ["f"]).map(\.isDeclaration) == [true])
  }

  @Test(arguments: ["// f(1);", "/* f(1); */", "\"f(1)\";", "int of(int);", "g(1);"])
  func commentsAndTextsAreNone(line: String) {
    #expect(NamesInSource.all(in: line, of: ["f"]) == [])
  }

  @Test func commentsGoOnOverLines() {
    #expect(NamesInSource.all(in: "/*\nf(1)\n*/ f(2)", of: ["f"]).map(\.line) == [3])
  }

  @Test(arguments: [
    "case '\"': f(1);", "x = '\\''; f(1);", "g(\"a\\\n\"); f(1);",
  ])
  func literalsHideNoUse(text: String) {
    #expect(NamesInSource.all(in: text, of: ["f"]).map(\.name) == ["f"])
  }

  @Test(arguments: [
    ("int f(int);", true), ("API(int) f(int);", true), ("API int (f)(int);", true),
    ("f(int x)", true),
    ("  API int f(int);", true), ("OLD(\"use g\") API int f(int);", true),
    ("  x = f(1);", false), ("  f(1);", false), ("  a * f(1);", false), ("  return f(1);", false),
    ("int x = f(1);", false), ("DEFINE(f)", false), ("static handler *all[] = { f };", false),
  ])
  func declarationsAreAtFileScope(line: String, isSo: Bool) {
    #expect(NamesInSource.all(in: line, of: ["f"]).map(\.isFileScope) == [isSo])
  }

  @Test func directivesAreTold() {
    let text = """
      #ifdef f
      #define f g
      #define CALL \\
        f(1)
      int x = f(1);
      #if defined(f)
      """
    let uses = NamesInSource.all(in: text, of: ["f"])
    #expect(uses.map(\.line) == [1, 2, 4, 5, 6])
    #expect(uses.map(\.isMacroName) == [true, true, false, false, true])
    #expect(uses.map(\.isInMacro) == [true, true, true, false, true])
  }

  /// Compilers count no other ends of lines: a form feed is a space.
  @Test func linesAreThoseOfCompilers() {
    let text = "\u{0C}\n\u{0B}\r\n\u{2028}\u{85} f(1);"
    #expect(NamesInSource.all(in: text, of: ["f"]).map(\.line) == [3])
  }

  @Test func namesMayGoOnInTheNextLine() {
    #expect(NamesInSource.all(in: "return he\\\nlp(1);", of: ["help"]).map(\.line) == [2])
  }

  @Test func labelsOfTheAssemblerAreNames() {
    let line = "int other(void) __asm__(\"f\");"
    #expect(NamesInSource.all(in: line, of: ["f"]).map(\.isInMacro) == [true])
  }
}
