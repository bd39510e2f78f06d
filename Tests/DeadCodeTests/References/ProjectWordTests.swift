import Testing

@testable import DeadCode

/// Which words of a project's files may be functions' names.
@Suite struct ProjectWordTests {
  private func lines(
    _ text: String, _ file: String = "a.c", isCompiled: Bool = true
  ) -> [Int] {
    places(text, file, isCompiled: isCompiled).map(\.line)
  }

  private func places(
    _ text: String, _ file: String, isCompiled: Bool = true
  ) -> [ProjectWords.Place] {
    var words = ProjectWords(["f", "set_up"])
    words.add(text, of: file, isCompiled: isCompiled)
    return words.all("f") + words.all("set_up")
  }

  @Test(arguments: [
    "return f(1);", "table[] = { f };", "#define CALL f(1)", "__asm__(\"call f\");",
    "#if 0\n  f(1);\n#endif", "int g(void) __attribute__((weakref(\"f\")));", "/* g */ f(1);",
    "char *url = \"http://f\";", "char quote = '\"'; f(1); // \"", "f = 1", "a->f(2)", "else f(1);",
  ])
  func everyWordCounts(text: String) {
    let found = places(text, "a.c")
    #expect(found.count == 1 && found.allSatisfy { !$0.isDeclaration })
  }

  @Test(arguments: [
    "// f(1);", "/* f\nf */", "/*/ f */", "int of(int);", "f1", "\"g\" // f", "0xf", "ff",
  ])
  func commentsAndOtherWordsDoNot(text: String) {
    #expect(lines(text) == [])
  }

  @Test func linesAreCounted() {
    #expect(lines("/*\n*/\n\n f;\n\"\\\"\" // f\nf") == [4, 6])
  }

  @Test(arguments: [
    ("int f(int);", true), ("static inline char *f(int x) {", false), ("f(int x)\n{", false),
    ("f (int x);", true),
  ])
  func declarationsAreTold(text: String, isPrototype: Bool) {
    let found = places(text, "a.h")
    #expect(found.map(\.isDeclaration) == [true])
    #expect(found.map(\.isPrototype) == [isPrototype])
  }

  @Test(arguments: [
    "entry.S", "app.lds", "Makefile", "Makefile.am", "CMakeLists.txt", "meson.build", "run.sh",
  ])
  func assemblyAndScriptsCountAsTheyAre(file: String) {
    #expect(lines("# f\n// f\n \"--wrap=f\"", file) == [1, 2, 3])
  }

  @Test(arguments: ["README.md", "app.map", "a.o", "tags", "order.txt", "Package.swift"])
  func otherFilesDoNot(file: String) {
    #expect(!ProjectWords.isRead(file))
    #expect(lines("f", file) == [])
  }

  @Test func ofSwiftOnlyCodeThatMayBeLeftOutCounts() {
    let text = "f()\n#if os(Linux)\nf() // f\n#if DEBUG\nf()\n#endif\nf()\n#endif\nf()\n"
    #expect(lines(text, "a.swift") == [3, 5, 7])
    #expect(lines(text, "a.swift", isCompiled: false) == [1, 3, 5, 7, 9])
    #expect(lines("#if X\nf()", "a.swift") == [2])
  }

  /// `@_silgen_name` and `dlsym` take the linker names of other languages.
  @Test func stringsOfCompiledSwiftCount() {
    let text = """
      f() // "f"
      @_silgen_name("f") func g()
      dlsym(nil, "set_up")
      let text = \"""
        http://f
      \"""
      f("")

      """
    #expect(lines(text, "a.swift").sorted() == [2, 3, 5])
    #expect(places(text, "a.swift").allSatisfy { $0.isSwiftText })
    #expect(!places("f(\"f\")", "a.swift", isCompiled: false).contains { $0.isSwiftText })
  }
}
