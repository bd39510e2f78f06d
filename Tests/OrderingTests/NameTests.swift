import FirstlightModel
import Testing

@testable import Ordering

/// Recorded names against those of the binary that is to be linked.
@Suite struct NameTests {
  @Test(arguments: [
    ("f.llvm.123", "f"), ("f", "f.llvm.99"), ("f.llvm.1", "f.llvm.2"), ("f.17", "f"),
    ("$s4main1fyyFTm", "$s4main1fyyF"), ("$s4main1fyyF", "$s4main1fyyFTm"),
    ("f.part.0", "f"), ("f.isra.0.constprop.1", "f"), ("f.cold", "f.cold.1"),
    ("co.resume", "co.resume.llvm.4"), ("f", "f.specialized.1"),
    ("objectdestroy.12", "objectdestroy.3"),
  ])
  func cloneSuffixesAreLookedThrough(recorded: String, target: String) {
    let found = Self.target([target]).find(recorded)
    #expect(found.match == .cloneSuffix)
    #expect(found.symbols.map(\.name) == [target])
  }

  @Test(arguments: [
    ("co.resume", "co.destroy"), ("co.resume", "co"), ("f", "f.cold"), ("f.cold", "f"),
    ("f", "ff"), ("f", "f.other"), ("fTm", "f"), (".17", ""),
  ])
  func otherNamesAreNot(recorded: String, target: String) {
    #expect(Self.target([target]).find(recorded).match == .gone)
  }

  @Test func theNameItselfIsTheBest() {
    let target = Self.target(["f.3", "f", "f.2"])
    #expect(target.find("f").match == .exact)
    #expect(target.find("f.7").symbols.map(\.name) == ["f"])
  }

  /// ThinLTO gives local functions of several files different names in each build.
  @Test func filesTellLocalFunctionsOfOneNameApart() {
    let symbols = ["f", "f.llvm.7", "f.llvm.8"].enumerated().map { index, name in
      TargetSymbol(name: name, address: UInt64(index), size: 16, isLocal: true)
    }
    let files = ["/new/src/a.c", "/new/src/b.c", "/new/lib/b.c"]
    let target = TargetSymbols(symbols) { files[Int($0)] }
    #expect(target.find("f.llvm.1", file: "/old/src/b.c").symbols == [symbols[1]])
    #expect(target.find("f.llvm.1", file: "/old/lib/b.c").symbols == [symbols[2]])
    #expect(target.find("f", file: "/old/src/a.c").match == .exact)
    #expect(target.find("f", file: "/old/src/b.c").symbols == [symbols[1]])
    #expect(target.find("f.llvm.1", file: "/old/c.c").match == .ambiguous)
    #expect(TargetSymbols(symbols).find("f.llvm.1").match == .ambiguous)
  }

  @Test func functionsThatCannotBeToldApartLowerTheHitRate() {
    let profile = SymbolOrderTests.profile([["f.llvm.1", "g"]], of: ["f.llvm.1", "g"])
    let target = TargetSymbols(
      ["f.llvm.7", "f.llvm.8", "g"].enumerated().map { index, name in
        TargetSymbol(name: name, address: UInt64(index), size: 16, isLocal: true)
      })
    let code = OrderingInput(of: 0, in: profile, target: target)
    #expect(code.names?.ambiguous == ["f.llvm.1"])
    #expect(code.names?.hitRate == 0.5)
    #expect(code.units.map(\.names) == [["g"]])
  }

  /// Parts of functions have sections of their own with `-fbasic-block-sections`.
  @Test func blocksFollowTheirFunction() {
    let profile = SymbolOrderTests.profile([["f", "g"]], of: ["f", "g"])
    let names = ["f", "f.__part.10", "f.__part.2", "f.cold", "g"]
    let code = OrderingInput(of: 0, in: profile, target: Self.target(names))
    #expect(code.units.map(\.names) == [["f", "f.__part.2", "f.__part.10"], ["g"]])
    #expect(code.names?.hitRate == 1)
  }

  @Test func theReportCountsEachKind() {
    let profile = SymbolOrderTests.profile([["a", "b", "c", "d"]])
    let code = OrderingInput(
      of: 0, in: profile,
      target: TargetSymbols([
        TargetSymbol(name: "a", address: 0x10, size: 16, isLocal: false),
        TargetSymbol(name: "b.llvm.1", address: 0x20, size: 16, isLocal: true),
        TargetSymbol(name: "c", address: 0x10, size: 16, isLocal: false),
      ]))
    #expect(code.names?.exact == 2)
    #expect(code.names?.byCloneSuffix == 1)
    #expect(code.names?.folded == 1)
    #expect(code.names?.gone == ["d"])
    #expect(code.names?.hitRate == 0.75)
    #expect(code.units.map(\.names) == [["a", "c"], ["b.llvm.1"]])
    #expect(code.traces == [[0, 1]])
  }

  /// The linker moves every function of a name. Four of which one is called: 3 x 1,000 bytes moved
  /// in vain are less than the page that the called one would cost elsewhere; 3 x 2,000 are more.
  @Test(arguments: [UInt64(1000), 2000])
  func sameNamedLocalsMoveIfTheyAreSmall(size: UInt64) {
    let names = size == 1000 ? ["a", "b"] : ["b"]
    let profile = SymbolOrderTests.profile([["a", "b"]])
    let target = TargetSymbols(
      (0..<4).map { TargetSymbol(name: "a", address: $0 << 16, size: size, isLocal: true) }
        + [TargetSymbol(name: "b", address: 1 << 20, size: 16, isLocal: false)])
    let code = OrderingInput(of: 0, in: profile, target: target, pageSize: 4096)
    #expect(SymbolOrder(of: code).names == names)
    #expect(code.names?.leftOutLocals == (names.count == 1 ? ["a"] : []))
    #expect(code.names?.hitRate == 1)
  }

  @Test func sizesAreThoseOfTheTarget() {
    let profile = SymbolOrderTests.profile([["a"]])
    let target = TargetSymbols([TargetSymbol(name: "a", address: 16, size: 100, isLocal: false)])
    #expect(
      OrderingInput(of: 0, in: profile, target: target).problem(pageSize: 4096).sizes == [112])
  }

  private static func target(_ names: [String]) -> TargetSymbols {
    TargetSymbols(
      names.enumerated().map { index, name in
        TargetSymbol(name: name, address: UInt64(index) << 4, size: 16, isLocal: false)
      })
  }
}
