import Testing

@testable import NeverCalled

@Suite struct SourceMarkTests {
  private func source(_ text: String) -> SourceText {
    let isC = text.contains("__attribute__") || text.contains("[[gnu")
    return SourceText(Array(text.utf8), isC ? .c : .swift)
  }

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
      ("__attribute__((constructor)) static void f(void) {}\nint g(void);", 2, nil),
      ("[[gnu::used]] int f(void);\nint g(void);", 2, nil),
      ("@discardableResult\nfunc f() -> Int { 1 }", 2, nil),
      ("@_cdecl(\"g\") func g() {}\nfunc f() {}", 2, nil),
      ("// @_cdecl(\"f\")\nfunc f() {}", 2, nil),
      ("@objc\n\nfunc f() {}", 3, .attribute("@objc")),
      ("@Option(help: \"x\")\nvar f: Int?", 2, .attribute("@Option")),
      ("@Option(\n  help: \"x\",\n  completion: .file())\nvar f: Int?", 4, .attribute("@Option")),
      ("let g = h(\n  1)\nvar f: Int { 1 }", 3, nil),
      ("@Flag(help: \"x\") var f = false", 1, .attribute("@Flag")),
      ("@Flag var f = false", 1, .attribute("@Flag")),
      ("@Module.Wrapped\n@available(*, deprecated)\nvar f: Int", 3, .attribute("@Module.Wrapped")),
      ("@MainActor var f: Int { 1 }", 1, nil),
      ("@Flag var g = false\nvar f: Int { 1 }", 2, nil),
      ("@Builder\nfunc f() -> Int { 1 }", 2, nil),
      ("@MainActor @Flag var f = false", 1, .attribute("@Flag")),
      ("@Test(arguments: [1].map { $0 })\nfunc f(_ x: Int) {}", 2, .test),
      ("#if X\n@objc\n#endif\nfunc f() {}", 4, .attribute("@objc")),
      ("/*\n@objc\n*/\nfunc f() {}", 4, nil), ("let s = \"@objc\"; func f() {}", 1, nil),
      ("static __attribute__((constructor)) void\nf(void) {}", 2, .linker("constructor")),
      ("/* __attribute__((used)) */\nint f(void) {}", 2, nil),
    ] as [(String, Int, ReachedByName?)])
  func attributesAreReadFromTheDeclaration(text: String, line: Int, expected: ReachedByName?) {
    #expect(source(text).reachedByName(line: line) == expected)
  }

  @Test(arguments: [
    ("public func f() {}", 1, true), ("@inlinable\n  public static func f() {}", 2, true),
    ("open class C {}", 1, true), ("public extension C {", 1, true),
    ("@inlinable public\nfunc f() {}", 2, true), ("func f(public: Int) {}", 1, false),
    ("// public\nfunc f() {}", 2, false), ("public func g() {}\nfunc f() {}", 2, false),
    ("public private(set) var x = 1", 1, true), ("package func f() {}", 1, false),
  ])
  func publicDeclarationsSaySo(text: String, line: Int, isPublic: Bool) {
    #expect(source(text).isPublic(line: line) == isPublic)
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
