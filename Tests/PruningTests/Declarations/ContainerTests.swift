import Testing

/// Types, extensions and files that have nothing else in them.
@Suite struct ContainerTests {
  @Test func emptiedExtensionGoes() {
    let (text, removal) = pruned(
      """
      let a = 1

      // MARK: - Helpers

      /// Helpers.
      extension Int {
        // Doubles.
        func twice() -> Int { self * 2 } //- twice()

        var half: Int { self / 2 } //- half
      }

      let b = 2

      """)
    #expect(text == "let a = 1\n\n// MARK: - Helpers\n\nlet b = 2\n")
    #expect(removal.emptied == ["extension Int"])
  }

  @Test func extensionThatConformsStays() {
    let source = "protocol P {}\nextension Int: P {\n  func f() {} //- f()\n}\n"
    let (text, removal) = pruned(source)
    #expect(text == "protocol P {}\nextension Int: P {\n}\n")
    #expect(removal.emptied.isEmpty)
  }

  @Test func extensionThatWasEmptyStays() {
    #expect(pruned("extension Int {}\nfunc f() {} //- f()\n").text == "extension Int {}\n")
  }

  @Test func emptiedTypeGoesIfNothingRefersToIt() {
    let source = "let a = 1\nenum Tools {\n  static func f() {} //- f()\n}\n"
    #expect(pruned(source).text == "let a = 1\nenum Tools {\n}\n")
    #expect(pruned(source, unreferenced: ["Tools"]).text == "let a = 1\n")
    #expect(
      pruned("let a = 1\npublic " + source.dropFirst(10), unreferenced: ["Tools"]).text.contains(
        "enum"))
  }

  @Test func nestedTypesGoWithWhatHoldsThem() {
    let (text, removal) = pruned(
      "let a = 1\nextension Int {\n  enum B {\n    static func f() {} //- f()\n  }\n}\n",
      unreferenced: ["B"])
    #expect(text == "let a = 1\n")
    #expect(removal.emptied == ["B", "extension Int"])
  }

  @Test func typeWithOtherMembersStays() {
    let (text, _) = pruned(
      "struct A {\n  var x = 1\n  func f() {} //- f()\n}\n", unreferenced: ["A"])
    #expect(text == "struct A {\n  var x = 1\n}\n")
  }

  @Test func fileWithOnlyImportsLeftIsEmptied() {
    #expect(pruned("import Glibc\n\n// f\nfunc f() {} //- f()\n").removal.isFileEmptied)
    #expect(!pruned("import Glibc\n\nlet a = 1\nfunc f() {} //- f()\n").removal.isFileEmptied)
    #expect(!pruned("import Glibc\n").removal.isFileEmptied)
    #expect(
      !pruned("#if os(Linux)\nlet a = 1\n#endif\nfunc f() {} //- f()\n").removal.isFileEmptied)
  }
}
