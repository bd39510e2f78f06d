import Testing

@testable import References

@Suite struct SourceMarkTests {
  @Test(
    arguments: [
      ("@_cdecl(\"f\")\npublic func f() {}", 2, .attribute("@_cdecl")),
      ("@_cdecl(\"f\") public func f() {}", 1, .attribute("@_cdecl")),
      ("@Test func f() {}", 1, .test),
      ("@Test(arguments: [1])\n// why\nfunc f(_ x: Int) {}", 3, .test),
      ("@_used\nfunc f() {}", 2, .linker("used")),
      ("__attribute__((constructor)) static void f(void) {}", 1, .linker("constructor")),
      ("__attribute__((__used__))\nstatic void f(void) {}", 2, .linker("used")),
      ("[[gnu::constructor]]\nvoid f(void) {}", 2, .linker("constructor")),
      ("@discardableResult\nfunc f() -> Int { 1 }", 2, nil),
      ("@_cdecl(\"g\") func g() {}\nfunc f() {}", 2, nil),
      ("// @_cdecl(\"f\")\nfunc f() {}", 2, nil),
      ("@objc\n\nfunc f() {}", 3, nil),
      ("@Option(help: \"x\")\nvar f: Int?", 2, .attribute("@Option")),
      ("@Option(\n  help: \"x\",\n  completion: .file())\nvar f: Int?", 4, .attribute("@Option")),
      ("let g = h(\n  1)\nvar f: Int { 1 }", 3, nil),
      ("@Flag(help: \"x\") var f = false", 1, .attribute("@Flag")),
      ("@Flag var f = false", 1, .attribute("@Flag")),
      ("@Module.Wrapped\n@available(*, deprecated)\nvar f: Int", 3, .attribute("@Module.Wrapped")),
      ("@MainActor var f: Int { 1 }", 1, nil),
      ("@Flag var g = false\nvar f: Int { 1 }", 2, nil),
      ("@Builder\nfunc f() -> Int { 1 }", 2, nil),
    ] as [(String, Int, ReachedByName?)])
  func attributesAreReadFromTheDeclaration(text: String, line: Int, expected: ReachedByName?) {
    #expect(SourceMarks(text).reachedByName(line: line) == expected)
  }

  @Test(arguments: [
    ("public func f() {}", 1, true), ("@inlinable\n  public static func f() {}", 2, true),
    ("open class C {}", 1, true), ("public extension C {", 1, true),
    ("@inlinable public\nfunc f() {}", 2, true), ("func f(public: Int) {}", 1, false),
    ("// public\nfunc f() {}", 2, false), ("public func g() {}\nfunc f() {}", 2, false),
    ("public private(set) var x = 1", 1, true), ("package func f() {}", 1, false),
  ])
  func publicDeclarationsSaySo(text: String, line: Int, isPublic: Bool) {
    #expect(SourceMarks(text).isPublic(line: line) == isPublic)
  }

  @Test func branchesAndTheirNamesAreSeen() {
    let marks = SourceMarks(
      "func f() {}\n#if os(Windows)\nfunc g() { f() }\n#else\nlet x = h()\n#endif\nlet y = 1")
    #expect(marks.branchNames["f"] == [3])
    // This is compiled.
    #expect(marks.branchNames["h"] == nil)
    #expect(marks.branchNames["y"] == nil)
  }

  @Test func onlyBranchesThatMayBeLeftOutCount() {
    func names(_ text: String) -> Set<String> {
      let conditions = BuildConditions(architecture: "x86_64", compiler: [6, 3, 1])
      return Set(SourceMarks(text, conditions: conditions).branchNames.keys.map(String.init))
    }
    #expect(names("#if os(Linux)\na()\n#else\nb()\n#endif") == ["b"])
    #expect(names("#if os(macOS)\na()\n#elseif os(Linux)\nb()\n#else\nc()\n#endif") == ["a", "c"])
    #expect(names("#if DEBUG\na()\n#elseif os(Linux)\nb()\n#endif") == ["a", "b"])
    #expect(names("#if os(Linux)\n#if DEBUG\na()\n#endif\nb()\n#endif") == ["a"])
    #expect(names("#if os(Linux)\na()\n#endif") == [])
  }

  @Test func labelsOfArgumentsAreNoUses() {
    func names(_ text: String) -> Set<String> {
      Set(SourceMarks(text, isCompiled: false).branchNames.keys.map(String.init))
    }
    #expect(names("run(body: f, on: g(x: 1))") == ["run", "f", "g"])
    #expect(names("[a: f, b: g]") == ["a", "b", "f", "g"])
    #expect(names("let x = y ? a : b").isSuperset(of: ["a", "b"]))
  }

  @Test func filesThatWereNotCompiledAreOneBranch() {
    #expect(SourceMarks("func f() { g() }").branchNames.isEmpty)
    #expect(SourceMarks("func f() { g() }", isCompiled: false).branchNames["g"] == [1])
  }

  @Test func includeGuardsAreNoBranches() {
    let header = "// About\n#ifndef A_H\n#define A_H\nint f(void);\n#endif\n"
    #expect(SourceMarks(header).branchNames.isEmpty)
    let nested = "#ifndef A_H\n#define A_H\nint f(void);\n#ifdef X\nint g(void);\n#endif\n#endif\n"
    #expect(SourceMarks(nested).branchNames["g"] == [5])
    #expect(SourceMarks(nested).branchNames["f"] == nil)
  }

  @Test func namesForTheLoaderAreSeen() {
    #expect(SourceMarks("let f = dlsym(handle, \"start_plugin\")").lookedUp["start_plugin"] == 1)
    #expect(SourceMarks("int g(void) __attribute__((alias(\"f\")));").lookedUp["f"] == 1)
    #expect(SourceMarks("print(\"start_plugin\")").lookedUp.isEmpty)
  }

  @Test func librariesAreReadFromTheManifest() {
    let manifest = """
      products: [
        .library(name: "Shop", targets: ["Shop", "shop-kit"]),
        // .library(name: "Old", targets: ["Old"]),
        .library(
          name: "C", type: .static,
          targets: ["CShop"]),
        .executable(name: "tool", targets: ["Tool"]),
      ]
      """
    #expect(LibraryProducts.modules(manifest) == ["Shop", "shop_kit", "CShop"])
    #expect(LibraryProducts.modules("let package = Package(name: \"x\")").isEmpty)
  }
}
