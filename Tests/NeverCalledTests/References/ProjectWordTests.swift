import FirstlightModel
import Testing

@testable import NeverCalled

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
    "char *url = \"http://f\";", "char quote = '\"'; f(1); // \"",
    "if (c == '\\\"' || c == *\"//\") f(1);", "ok && f(1));", " scale * f(1);",
    "total = 1 +\nscale * f(1);", "x = g(\nf(1));", "call(1)\nscale * f(1);",
    "s = R\"(\n  files: src/*.c\n)\"; f(1);", "s = R\"x(\n)\" /* )x\"; f(1);", "f = 1", "a->f(2)",
    "else f(1);",
  ])
  func everyWordCounts(text: String) {
    let found = places(text, "a.c")
    #expect(found.count == 1 && found.allSatisfy { !$0.isDeclaration })
  }

  @Test(arguments: [
    "// f(1);", "/* f\nf */", "/*/ f */", "int of(int);", "f1", "0xf", "ff",
  ])
  func commentsAndOtherWordsDoNot(text: String) {
    #expect(lines(text) == [])
  }

  @Test func linesAreCounted() {
    #expect(lines("/*\n*/\n\n f;\n\"\\\"\" // f\nf // f") == [4, 6])
  }

  @Test(arguments: [
    ("int f(int);", true), ("static inline char *f(int x) {", false),
    ("static int\nf(int x)\n{", false),
    ("char **f (int x);", true), ("#define X 1 \\\n + 2\nint f(int);", true),
    ("int a; // b\nint f(int);", true), ("extern \"C\" {\nint f(int);", true),
  ])
  func declarationsAreTold(text: String, isPrototype: Bool) {
    let found = places(text, "a.h")
    #expect(found.map(\.isDeclaration) == [true])
    #expect(found.map(\.isPrototype) == [isPrototype])
  }

  @Test(arguments: [
    "entry.S", "app.lds", "Makefile", "Makefile.am", "CMakeLists.txt", "meson.build", "run.sh",
    "app.map",
    "cmds.list", "z.tpp", "pre-commit",
  ])
  func assemblyAndScriptsCountAsTheyAre(file: String) {
    #expect(lines("# f\n// f\n \"--wrap=f\"", file) == [1, 2, 3])
  }

  @Test(arguments: ["README.md", "tags", "order.txt", "list.json"])
  func documentsDoNot(file: String) {
    #expect(!ProjectWords.isRead(file))
    #expect(lines("f", file) == [])
  }

  @Test(arguments: ["a.C", "a.HPP", "a.cxx"])
  func commentsOfCDoNotCountWhateverTheCase(file: String) {
    #expect(lines("// f\nf(1)", file) == [2])
  }

  @Test func manifestsOfPackagesDoNot() {
    let manifest = "// swift-tools-version:5.9\nf()"
    #expect(lines(manifest, "Package.swift", isCompiled: false) == [])
    #expect(lines(manifest, "Package@swift-6.swift", isCompiled: false) == [])
    #expect(lines("f()", "Package.swift", isCompiled: false) == [1])
    #expect(lines("#if X\nf()\n#endif\nf()", "PackageStore.swift") == [2])
  }

  @Test func continuedLinesAreJoined() {
    #expect(lines("#if 0\n  set\\\n_up(1);\n f\\\r\n (2);\n#endif") == [4, 2])
    #expect(lines("// g \\\nf\nint x = f;") == [3])
    // In a string of another language the letter of an escape is no part of the name.
    #expect(lines("print('\\nf')", "a.py") == [1])
  }

  // MARK: Pasted names

  private func pasted(_ name: String, _ texts: String...) -> Int? {
    var words = ProjectWords([TextBytes(name)])
    for (number, text) in texts.enumerated() {
      words.add(text, of: "\(number).c", isCompiled: true)
    }
    words.addPasted()
    return words.all(name).first?.line
  }

  @Test func aPastedNameIsNamedByItsMacro() {
    let show = "\n#define ATTR(n) { #n, n##_show }\n"
    #expect(pasted("speed_show", show, "#ifdef X\nATTR( speed )\n#endif") == 2)
    #expect(pasted("speed_show", show, "ATTR(other)") == nil)
    #expect(pasted("speed_shown", show, "ATTR(speed)") == nil)
    #expect(pasted("speed_show", show, "// ATTR(speed)") == nil)
    #expect(pasted("op_add", "#define OP(a, b) \\\n  op_ ## b, a\n", "OP(1,\n add)") == 2)
    #expect(pasted("get_a_value", "#define G(x) get_##x##_value()", "G(a)") == 1)
    #expect(pasted("get_value", "#define G(x) get_##x##_value()", "G(a)") == nil)
    #expect(pasted("fixed", "#define G fix ## ed") == 1)
  }

  @Test func aNameMayHaveAnAffixFromAString() {
    let call = "#define CALL(x) __asm__(\"call \" #x \"_impl\")\n"
    #expect(pasted("beta_impl", call, "CALL(beta);") == 1)
    #expect(pasted("gamma_impl", call, "CALL(beta);") == nil)
    #expect(
      pasted(
        "foo_old", "#define ALIAS(n) void n(void) __attribute__((alias(#n \"_old\")))\nALIAS(foo)")
        == 1)
    #expect(pasted("my_foo_old", "s = \"my_\" STR(x) \"_old\";", "int foo;") == 1)
    #expect(pasted("foo_old", "int _old;", "int foo;") == nil)
  }

  @Test func aNameMayBePastedInSteps() {
    let steps = "#define A(x) B(x##_init)\n#define B(y) y##_fn\n"
    #expect(pasted("foo_init_fn", steps, "A(foo)") == 1)
    #expect(pasted("bar_init_fn", steps, "A(foo)") == nil)
  }

  @Test func argumentsOfSeveralParametersArePasted() {
    let cat = "#define CAT2(a, b) a##_##b\n#define CAT(a, b) CAT2(a, b)\n"
    #expect(pasted("last_ints", cat, "#define N ints\nstatic int CAT(last, N)(int x);") == 1)
    #expect(pasted("last_longs", cat, "#define N ints\nstatic int CAT(last, N)(int x);") == nil)
    #expect(pasted("add", "#define CAT(a, b) a ## b", "call(b); x = dd;") == nil)
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

  /// What may stand in a string or a regular expression ends no branch, and is no comment.
  @Test(arguments: [
    "#if X\nlet text = \"\"\"\n#endif\n\"\"\"\nf()\n#endif",
    "#if X\ns.contains(#/a//b/#); f()\n#endif",
    "#if X\nlet a = \"\"\"\n src/*.c\n\"\"\"\nf()\n#endif",
    "#if X\nlet a = #\"\"\"#\n/*\nf()\n#endif", "#if X\nlet a = \"\"\"\n/*\nf()\n#endif",
    "#if X\n/* a /* b */\n#endif\n*/\nf()\n#endif", "#if X\nlet r = /a[/]//; f()\n#endif",
  ])
  func doubtfulTextOfSwiftIsCode(text: String) {
    #expect(lines(text, "a.swift").count == 1)
  }
}
