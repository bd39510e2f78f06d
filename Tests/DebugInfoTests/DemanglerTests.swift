import DebugInfo
import Testing

@Suite struct DemanglerTests {
  @Test func namesAreThoseOfTheToolchainsDemangler() throws {
    let tools = try Toolbox()
    try tools.buildSwift("shapes", ["-Onone"])
    let names = try tools.listedSymbols("shapes").map(\.name).filter { $0.hasPrefix("$s") }
    try #require(names.count > 30)
    let expected = try tools.run(
      "swift-demangle", "-no-sugar", "-compact", input: names.map { $0 + "\n" }.joined()
    ).split(separator: "\n").map(String.init)
    #expect(Demangler.demangle(names) == expected)
    #expect(names.map { Demangler.demangle($0) } == expected)
  }

  @Test func otherLanguagesToo() {
    #expect(Demangler.demangle("_ZN5shape4areaEi") == "shape::area(int)")
    #expect(Demangler.demangle("main") == "main")
    #expect(Demangler.demangle("") == "")
    #expect(Demangler.demangle("$s") == "$s")
    #expect(Demangler.demangle("_Z") == "_Z")
  }

  @Test(arguments: [
    ("$s6Shapes3runyS2iF", "Shapes"),
    ("$s13SystemPackage15FilePermissionsVs9OptionSetAASYWb", "SystemPackage"),
    // Extensions: of the standard library, with constraints, of nested types, of other modules.
    ("$sSci15AsyncAlgorithmsE13adjacentPairsAA0a8AdjacentD8SequenceVyxGyF", "AsyncAlgorithms"),
    ("$sSa6ShapesAA6SquareVRszlE5areasSaySiGyF", "Shapes"),
    ("$sSa6appendyyxnF", "Swift"),
    ("$ss6ResultOsRi_zRi0_zrlE3getxyq_YKF", "Swift"),
    ("$sSS8UTF8ViewV6ShapesE4fourSiyF", "Shapes"),
    ("$s10Foundation4DateV6ShapesE4fourSiyF", "Shapes"),
    ("$s6Shapes6SquareVAAE4fourSiyF", "Shapes"),
    // Of a type that a third module adds, and of one that C's `typedef` names.
    ("$sSS20FoundationEssentialsE8EncodingV3EncE07neverOnC0SbyF", "Enc"),
    ("$sSo8idtype_ta3dbgE11neverOnEnumSiyF", "dbg"),
    // Thunks between function types belong to nobody.
    ("$sytIeghr_Iegh_TRTA.75", ""),
    ("$s7FailureSciQzqd__Ieghnr_ABqd__IeghHnr_SciRzs5ErrorRd__r__lTR", ""),
    ("_ZN5shape4areaEi", ""), ("main", ""), ("$s", ""), ("$s9", ""), ("$s999999999999a", ""),
    // A type of its module's name, and a module's name that abbreviates itself.
    ("$s6LedgerAAV17untestedRemoveAllyyF", "Ledger"),
    ("$s013TestedPackageB5Tests8TestCaseV", "TestedPackagePackageTests"),
  ])
  func modulesAreThoseThatDeclare(name: String, module: String) {
    #expect(Demangler.swiftModule(of: name) == module)
  }
}
