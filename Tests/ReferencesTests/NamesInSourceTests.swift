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
    #expect(NamesInSource.all(in: "\n" + line, of: ["f"]) == [.init(name: "f", line: 2)])
  }

  @Test(arguments: [
    "int f(int);", "static inline char *f(int x) {", "std::vector<int> f();", "pub fn f(x: i32) {",
  ])
  func declarationsAreFound(line: String) {
    #expect(
      NamesInSource.all(in: line, of: ["f"]) == [.init(name: "f", line: 1, isDeclaration: true)])
  }

  @Test(arguments: ["// f(1);", "/* f(1); */", "\"f(1)\";", "int of(int);", "g(1);"])
  func commentsAndTextsAreNone(line: String) {
    #expect(NamesInSource.all(in: line, of: ["f"]) == [])
  }

  @Test func commentsGoOnOverLines() {
    #expect(NamesInSource.all(in: "/*\nf(1)\n*/ f(2)", of: ["f"]) == [.init(name: "f", line: 3)])
  }
}
