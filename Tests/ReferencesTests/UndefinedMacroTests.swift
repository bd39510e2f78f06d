import Testing

@testable import References

/// Which macros the texts of a project use and do not define.
@Suite struct UndefinedMacroTests {
  @Test(arguments: ["x = HELP();", "#define CALL HELP(1)", "HELP (a)"])
  func callsAreFound(text: String) {
    #expect(UndefinedMacros.calls(in: ["a.c": text]) == ["a.c": ["HELP"]])
  }

  @Test(arguments: [
    "#define HELP(x) x\ny = HELP(1);", "typedef int HELP; int (*f)(HELP (*)(int));", "help(1);",
    "void HELP(int);\nint x = HELP(1);",
    "// HELP(1)", "\"HELP(1)\"", "#if HELP(1)\n#endif",
  ])
  func definedNamesAreNone(text: String) {
    #expect(UndefinedMacros.calls(in: ["a.c": text]) == [:])
  }

  @Test func anotherFileMayDefineOne() {
    let texts = ["a.c": "HELP();", "b.h": "#define HELP() f()"]
    #expect(UndefinedMacros.calls(in: texts) == [:])
  }
}
