import Testing

@testable import NeverCalled

/// The last line of a declaration.
@Suite struct SourceExtentTests {
  private func source(_ text: String) -> SourceText {
    let isC = ["int ", "char ", "__", "static "].contains { text.hasPrefix($0) }
    return SourceText(Array(text.utf8), isC ? .c : .swift)
  }

  @Test(arguments: [
    ("func f() {}", 1, 1), ("int f(int x)\n{\n  return x;\n}\nint y;", 1, 4),
    ("func f() {\n  print(\"}\") // }\n  /* } */\n}\n", 1, 4),
    ("let x = [1].map { $0 }\nlet y = 2\n", 1, 1), ("let (a, b) = ([1].map { $0 }, 2)\n", 1, 1),
    ("/// Text.\n@inline(never)\nfunc f(\n  x: Int\n) {\n}\n", 3, 6),
    ("struct S {\n  func f() {\n    if x { y }\n  }\n}\n", 2, 4),
    ("int f(int x);\nint g;\n", 1, 1), ("let text = \"\"\"\n  {\n  \"\"\"\n", 1, 3),
    ("__attribute__((noinline)) int f(int x) { return x; }\nint g(void) { return 1; }\n", 2, 2),
    ("char f(void) { return '}'; }\nint g;\n", 1, 1),
    ("static int\nf(void)\n{\n}\nint g;\n", 2, 4),
    ("int f(void) {\n#if A\n  if (x) {\n#else\n  if (y) {\n#endif\n  }\n}\nint g;\n", 1, 8),
    ("int f(void) {\n  return *R\"({)\" + '\"'; /* { */ // \\\n {\n}\nint g;\n", 1, 4),
    ("func f() {\n  /* { /* */ { */ print(\"\\(g(\"{\"))\", #\"{\"\"#)\n}\n", 1, 3),
    ("func f() -> String {\n  \"\"\"\n}\n  \"\"\"\n}\n", 1, 5),
  ])
  func declarationsEndWithTheirBrace(text: String, line: Int, last: Int) {
    #expect(source(text).lastLine(ofDeclarationAt: line) == last)
  }

  @Test(arguments: [("func f() {\n", 1), ("", 1), ("x", 0), ("x", 3)])
  func whatDoesNotEndHasNoLastLine(text: String, line: Int) {
    #expect(source(text).lastLine(ofDeclarationAt: line) == nil)
  }
}
