import Testing

@testable import ReferenceIndex

/// Linker names as swiftc and clang write them, and USRs as they write those into an index.
@Suite struct JoinTests {
  private let index: ReferenceIndex

  init() {
    var builder = ReferenceIndexBuilder()
    let swift = builder.file("/p/a.swift", module: "M")
    let c = builder.file("/p/a.c", module: "")
    let cxx = builder.file("/p/a.cpp", module: "")
    let symbols: [(String, String, IndexSymbolKind, Int)] = [
      ("s:1M1fyyF", "f()", .function, swift),
      ("s:1M1XV3sumSivp", "sum", .instanceProperty, swift),
      ("s:1M1XV4leftSivpZ", "left", .staticProperty, swift),
      ("s:1M1XVyS2icip", "subscript(_:)", .instanceProperty, swift),
      ("s:1M1CC1aACSi_tcfc", "init(a:)", .constructor, swift),
      ("s:1M1CCfd", "deinit", .destructor, swift),
      ("s:1M5countSivp", "count", .variable, swift),
      ("c:@F@plain", "plain", .function, c),
      ("c:a.c@F@kept", "kept", .function, c),
      ("c:@S@Ware@F@price#I#", "price", .instanceMethod, cxx),
    ]
    for (line, symbol) in symbols.enumerated() {
      let number = builder.symbol(
        usr: symbol.0, name: symbol.1,
        IndexSymbolTraits(kind: symbol.2, language: symbol.0.hasPrefix("s:") ? .swift : .c))!
      builder.define(number, file: symbol.3, line: line + 1)
    }
    index = builder.build()
  }

  private func join(
    _ name: String, _ shortName: String = "", file: String? = nil, line: Int = 0
  ) -> FunctionJoin {
    FunctionJoiner(index).join(names: [name], shortName: shortName, file: file, line: line)
  }

  @Test(arguments: [
    ("$s1M1fyyF", "s:1M1fyyF"), ("_$s1M1fyyF", "s:1M1fyyF"), ("$s1M1fyyFTm", "s:1M1fyyF"),
    ("$s1M1fyyFTY0_", "s:1M1fyyF"), ("$s1M1fyyFTQ1_", "s:1M1fyyF"), ("$s1M1fyyFTu", "s:1M1fyyF"),
    ("$s1M1fyyFTY0_.resume.0", "s:1M1fyyF"), ("$s1M1fyyF.cold.1", "s:1M1fyyF"),
    ("$s1M1fyyFyycfU_", "s:1M1fyyF"), ("$s1M1fyyFyycfU_SiycfU0_", "s:1M1fyyF"),
    ("$s1M1fyyFyycfu_TA", "s:1M1fyyF"), ("$s1M1fyyFfA_", "s:1M1fyyF"),
    ("$s1M1fyyFSi_Tg5", "s:1M1fyyF"), ("$s1M1fyyFTf4nd_n", "s:1M1fyyF"),
    ("$s1M1XV3sumSivg", "s:1M1XV3sumSivp"), ("$s1M1XV3sumSivs", "s:1M1XV3sumSivp"),
    ("$s1M1XV3sumSivM", "s:1M1XV3sumSivp"), ("$s1M1XV3sumSivr", "s:1M1XV3sumSivp"),
    ("$s1M1XV3sumSivM.resume.0", "s:1M1XV3sumSivp"), ("$s1M1XV3sumSivpfi", "s:1M1XV3sumSivp"),
    ("$s1M1XV3sumSivW", "s:1M1XV3sumSivp"), ("$s1M1XV3sumSivgSbSiXEfU_", "s:1M1XV3sumSivp"),
    ("$s1M1XV4leftSivgZ", "s:1M1XV4leftSivpZ"), ("$s1M1XV4leftSivau", "s:1M1XV4leftSivpZ"),
    ("$s1M1XVyS2icig", "s:1M1XVyS2icip"), ("$s1M1XVyS2iciM", "s:1M1XVyS2icip"),
    ("$s1M5countSivau", "s:1M5countSivp"),
    ("$s1M1CC1aACSi_tcfC", "s:1M1CC1aACSi_tcfc"), ("$s1M1CC1aACSi_tcfc", "s:1M1CC1aACSi_tcfc"),
    ("$s1M1CC1aACSi_tcfcyyXEfU_", "s:1M1CC1aACSi_tcfc"),
    ("$s1M1CCfD", "s:1M1CCfd"), ("$s1M1CCfd", "s:1M1CCfd"), ("$s1M1CCfZ", "s:1M1CCfd"),
  ])
  func swiftNamesAreFound(name: String, usr: String) throws {
    #expect(join(name) == .symbol(try #require(index.symbol(usr: usr))))
  }

  @Test(arguments: ["$s1M1fyyF5innerL_yyF", "$s1M1fyyF5innerL0_yyFyycfU_"])
  func localFunctionsAreFoundByTheirOuterFunction(name: String) throws {
    #expect(join(name) == .local(within: try #require(index.symbol(usr: "s:1M1fyyF"))))
  }

  @Test(arguments: ["$sSiIegd_SiIegr_TR", "$s1M1XVwCP", "$s1M1XVMa", "$s1M1XV1PAAMc.TW"])
  func othersAreUnknown(name: String) {
    guard case .unknown = join(name) else {
      Issue.record("\(name) is known")
      return
    }
  }

  @Test func initializationsOfGlobalsAreFoundByTheirPlace() throws {
    let count = try #require(index.symbol(usr: "s:1M5countSivp"))
    #expect(join("$s1M5count_WZ", "count", file: "/p/a.swift", line: 7) == .symbol(count))
    #expect(
      join("$s1M1a_1bt_WZ", "(a, b)", file: "/p/a.swift", line: 7) == .unknown(.severalVariables))
  }

  @Test func functionsOfCAreFound() throws {
    #expect(join("plain") == .symbol(try #require(index.symbol(usr: "c:@F@plain"))))
    let kept = try #require(index.symbol(usr: "c:a.c@F@kept"))
    #expect(join("kept", file: "/p/a.c") == .symbol(kept))
    #expect(join("kept.constprop.0", file: "/p/a.c") == .symbol(kept))
    // Another file of the same name.
    #expect(join("kept", "kept", file: "/q/a.c") == .unknown(.fileNotIndexed))
  }

  @Test(arguments: [
    ("/p/./a.c", "/p/a.c"), ("/p/b/../a.c", "/p/a.c"), ("/p//a.c", "/p/a.c"),
    ("/../a.c", "/a.c"), ("/p/.build/a.c", "/p/.build/a.c"), ("a/../b.c", "a/../b.c"),
  ])
  func pathsHaveOneForm(path: String, normal: String) {
    #expect(SourcePath.normal(path) == normal)
    #expect(
      join("kept", "kept", file: "/p/x/../a.c", line: 9)
        == .symbol(index.symbol(usr: "c:a.c@F@kept")!))
  }

  @Test func functionsOfCxxAreFoundByTheirPlace() throws {
    let price = try #require(index.symbol(usr: "c:@S@Ware@F@price#I#"))
    #expect(join("_ZN4Ware5priceEi", "Ware::price", file: "/p/a.cpp", line: 10) == .symbol(price))
    #expect(
      join("_ZN4Ware5valueEi", "Ware::value", file: "/p/a.cpp", line: 10) == .unknown(.notDefined))
  }

  @Test(arguments: [
    ("Ware.price(of:_:)", "price"), ("static Ware.price(of:) in sell()", "price"),
    ("Ware.init(a:)", "init"), ("sum", "sum"), ("shop::Ware::price", "price"),
    ("price(of:)", "price"), ("Ware.==(_:_:)", "Ware.=="), ("operator()", "operator()"),
    ("int price<Ware>", "price"),
    ("shop::price<shop::Ware>", "price"),
  ])
  func baseNamesAreThoseOfTheIndex(name: String, base: String) {
    #expect(FunctionJoiner.baseName(name) == base)
  }
}
