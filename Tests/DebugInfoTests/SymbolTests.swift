import DebugInfo
import Testing

@Suite struct SymbolTests {
  @Test func symbolsAreThoseThatNmLists() throws {
    let tools = try Toolbox()
    try tools.buildSwift("shapes", ["-Onone"])
    let image = try DebugImage(path: tools.path("shapes"))
    let listed = try tools.listedSymbols("shapes")
    try #require(listed.count > 50)
    let ours = Set(image.symbols.all.map(\.name))
    for symbol in listed {
      #expect(ours.contains(symbol.name))
      let same = image.symbols.at(symbol.address).first { $0.name == symbol.name }
      #expect(same?.size == symbol.size)
      #expect(same?.isLocal == (symbol.kind == "t"))
      #expect(image.symbols.contains(symbol.name))
    }
    #expect(!image.symbols.contains("no such function"))
    let addresses = image.symbols.all.map(\.address)
    #expect(addresses == addresses.sorted())
  }

  @Test func aliasesAreAllNamesOfAnAddress() throws {
    let tools = try Toolbox()
    try tools.buildC("program", ["-O0"])
    let image = try DebugImage(path: tools.path("program"))
    let listed = try tools.listedSymbols("program")
    let address = try #require(listed.first { $0.name == "original" }).address
    #expect(Set(image.symbols.at(address).map(\.name)) == ["original", "other_name"])
    #expect(image.symbols.containing(address + 1)?.address == address)
    #expect(image.symbols.containing(1) == nil)
    #expect(image.symbols.at(address + 1).isEmpty)
  }

  @Test func aStrippedFileStillHasItsDynamicSymbols() throws {
    let tools = try Toolbox()
    try tools.buildC("library.so", ["-O1", "-fPIC", "-shared"])
    try tools.run("objcopy", "--strip-all", "library.so")
    let image = try DebugImage(path: tools.path("library.so"))
    #expect(image.hasSymbols)
    #expect(!image.hasDebugInfo)
    #expect(image.symbols.contains("shape_area"))
    #expect(!image.symbols.contains("local_sum"))
    #expect(image.kind == .sharedLibrary)
  }
}
