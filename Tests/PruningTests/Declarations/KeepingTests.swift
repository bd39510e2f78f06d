import NeverCalled
import Testing

/// What stays though nothing refers to it, and why.
@Suite struct KeepingTests {
  private func reason(_ source: String) -> KeepingReason? {
    let (text, removal) = pruned(source)
    if !removal.kept.isEmpty {
      #expect(text == pruned(source.replacing(/\ \/\/- .*/, with: "")).text)
    }
    return removal.kept.values.first
  }

  @Test func conditionalCodeStays() {
    #expect(reason("#if DEBUG\nfunc f() {} //- f()\n#endif\n") == .conditional)
    #expect(
      reason("struct A {\n#if DEBUG\nfunc f() {} //- f()\n#else\n#endif\n}\n") == .conditional)
  }

  @Test func storedPropertiesStay() {
    #expect(reason("struct A {\n  var x = 1 //- x\n}\n") == .storedProperty)
    #expect(reason("struct A {\n  var x = 1 { didSet {} } //- x\n}\n") == .storedProperty)
    #expect(reason("class A {\n  lazy var x = 1 //- x\n}\n") == .storedProperty)
    #expect(reason("struct A {\n  static var x = 1 //- x\n}\n") == nil)
    #expect(reason("struct A {\n  var x: Int { 1 } //- x\n}\n") == nil)
    #expect(reason("struct A {\n  var x: Int { get { 1 } set {} } //- x\n}\n") == nil)
  }

  @Test func variablesOfScriptsStay() {
    #expect(reason("let x = 1 //- x\nprint(2)\n") == .scriptVariable)
    #expect(reason("let x = 1 //- x\nfunc f() {}\n") == nil)
    #expect(reason("var x: Int { 1 } //- x\nprint(2)\n") == nil)
  }

  @Test func requirementsAndOverridesStay() {
    #expect(reason("protocol P {\n  func f() //- f()\n}\n") == .requirement)
    #expect(reason("class A: B {\n  override func f() {} //- f()\n}\n") == .override)
    #expect(reason("class A: B {\n  required init() {} //- init()\n}\n") == .requiredInitializer)
  }

  @Test(arguments: [
    "@_cdecl(\"f\")\n\nfunc f() {} //- f()\n",
    "#if X\n@_cdecl(\"f\")\n#endif\nfunc f() {} //- f()\n",
    "@_cdecl(\"f\")\n@available(*, deprecated,\n  message: \"b) :)\"\n)\nfunc f() {} //- f()\n",
    "@objc\n/*\n  What.\n*/\nfunc f() {} //- f()\n", "@_unknown func f() {} //- f()\n",
    "@_silgen_name(\"x\") func f() {} //- f()\n", "@used func f() {} //- f()\n",
  ])
  func exposedDeclarationsStay(source: String) {
    #expect(reason(source) == .linkerAttribute)
  }

  @Test(arguments: [
    "@inlinable @discardableResult\nfunc f() -> Int { 1 } //- f()\n",
    "@MainActor func f() {} //- f()\n",
    "@available(*, deprecated) func f() {} //- f()\n", "@_spi(X) func f() {} //- f()\n",
  ])
  func otherAttributesDoNotKeep(source: String) {
    #expect(reason(source) == nil)
  }

  @Test func onlyInitializerOfAClassStays() {
    #expect(
      reason("class A {\n  let x: Int\n  init() { x = 1 } //- init()\n}\n") == .onlyInitializer)
    #expect(reason("class A {\n  let x = 1\n  init() {} //- init()\n}\n") == nil)
    #expect(reason("class A {\n  var x: Int?\n  init() {} //- init()\n}\n") == nil)
    #expect(
      reason(
        "class A {\n  let x: Int\n  init() { x = 1 } //- init()\n  init(a: Int) { x = a }\n}\n")
        == nil)
    #expect(reason("struct A {\n  let x: Int\n  init() { x = 1 } //- init()\n}\n") == nil)
  }

  @Test func otherKindsStay() {
    #expect(reason("enum A {\n  case x //- x\n}\n") == .otherKind)
    #expect(reason("class A {\n  deinit {} //- deinit\n}\n") == .otherKind)
    #expect(reason("let y = 1 //- f()\n") == .notFound)
    #expect(reason("func f() {}; func f() {} //- f()\n") == .notFound)
  }
}
