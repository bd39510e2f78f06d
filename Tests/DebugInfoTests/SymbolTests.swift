import DebugInfo
import Testing

@Suite struct SymbolTests {
  @Test func symbolsAreThoseThatNmLists() throws {
    let tools = try Toolbox()
    try tools.buildSwift("shapes", ["-Onone"])
    let image = try DebugImage(path: tools.path("shapes"))
    let listed = try tools.listedSymbols("shapes")
    try #require(listed.count > 50)
    let ours = Set(image.functionSymbols.map(\.name))
    for symbol in listed {
      #expect(ours.contains(symbol.name))
      let same = image.symbols(at: symbol.address).first { $0.name == symbol.name }
      #expect(same?.size == symbol.size)
      #expect(same?.isLocal == (symbol.kind == "t"))
      #expect(image.hasSymbol(named: symbol.name))
    }
    #expect(!image.hasSymbol(named: "no such function"))
    let addresses = image.functionSymbols.map(\.address)
    #expect(addresses == addresses.sorted())
  }

  @Test func aliasesAreAllNamesOfAnAddress() throws {
    let tools = try Toolbox()
    try tools.buildC("program", ["-O0"])
    let image = try DebugImage(path: tools.path("program"))
    let listed = try tools.listedSymbols("program")
    let address = try #require(listed.first { $0.name == "original" }).address
    #expect(Set(image.symbols(at: address).map(\.name)) == ["original", "other_name"])
    #expect(image.symbol(containing: address + 1)?.address == address)
    #expect(image.symbol(containing: 1) == nil)
    #expect(image.symbols(at: address + 1).isEmpty)
  }

  @Test func aStrippedFileStillHasItsDynamicSymbols() throws {
    let tools = try Toolbox()
    try tools.buildC("library.so", ["-O1", "-fPIC", "-shared"])
    try tools.run("objcopy", "--strip-all", "library.so")
    let image = try DebugImage(path: tools.path("library.so"))
    #expect(image.hasSymbols)
    #expect(!image.hasDebugInfo)
    #expect(image.hasSymbol(named: "shape_area"))
    #expect(!image.hasSymbol(named: "local_sum"))
    #expect(image.kind == .sharedLibrary)
  }
}
