import Testing

@testable import References

/// Which names the macros of C may put together. The texts are such that `cc -E` gives the name `do_it`.
@Suite struct PastedNameTests {
  @Test(arguments: [
    "#define CALL(x) do_##x()\nint main() { return CALL(it); }",
    "#define CALL(x) x##_it()\nint main() { return CALL(do); }",
    "#define CAT(a, b) a##b\nint main() { return CAT(do_, it)(); }",
    "#define CAT(a, b) a ## _ ## b\n#define CALL(x) CAT(do, x)\nint main() { return CALL(it)(); }",
    "#define LIST(X) \\\n  X(it)\n#define CALL(x) do_##x();\nint main() { LIST(CALL) }",
    "#define IT do_ ## it\nint main() { return IT(); }",
    "int main() { return DO_CALL(it)(); }",
  ])
  func pastedNamesAreFound(text: String) {
    #expect(PastedNames([text]).mayBe("do_it"))
  }

  @Test(arguments: [
    "int main() { return do_it(); }",
    "#define CALL(x) do_##x()\nint main() { return CALL(that); }",
    "#define TEXT(x) #x\nint main() { return TEXT(it)[0] + do_(); }",
    "// CALL(it)\n#define CALL(x) do_##x()",
    "#define PI (3.0 ## f)\nint main() { return PI; }",
  ])
  func othersAreNot(text: String) {
    #expect(!PastedNames([text]).mayBe("do_it"))
  }
}
