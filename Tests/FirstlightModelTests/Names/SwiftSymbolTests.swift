import FirstlightModel
import Testing

/// Linker names as swiftc 6.3 writes them; swift-demangle says what each one is.
@Suite struct SwiftSymbolTests {
  @Test func namesOfOtherLanguagesAreRefused() {
    #expect(SwiftSymbol("main") == nil && SwiftSymbol("_Z1fv") == nil && SwiftSymbol("") == nil)
    // Ends alone show nothing: a C function may be called like this.
    #expect(SwiftSymbol("xvau") == nil && SwiftUSR("fTm") == nil)
  }

  /// merged M.f(), protocol conformance descriptor for M.S : M.P in M
  @Test func piecesAreToldFromFunctions() throws {
    #expect(try #require(SwiftSymbol("$s1M1fyyFTm")).isMergedBody)
    #expect(try #require(SwiftSymbol("$s1M1SVAA1PAAMc")).isConformanceDescriptor)
    let function = try #require(SwiftSymbol("$s1M1fyyF"))
    #expect(!function.isMergedBody && !function.isConformanceDescriptor && function.mayBeWritten)
  }

  /// Derived `==`, an initializer, and a deallocating deinitializer.
  @Test func generatedMembersAreKnownByTheirNames() throws {
    #expect(try !#require(SwiftSymbol("$s1M1SV2eeoiySbAC_ACtFZ")).mayBeWritten)
    #expect(try #require(SwiftSymbol("$s1M1CCACycfc")).isOftenImplicit)
    #expect(try #require(SwiftSymbol("$s1M1CCfD")).isOftenImplicit)
    #expect(try !#require(SwiftSymbol("$s1M1fyyF")).isOftenImplicit)
  }

  @Test(arguments: [
    ("$s1M1fyyYaFTQ0_", true), ("$s1M1fyyYaFTY12_", true), ("async_MainTQ0_", true),
    ("$s1M1fyyYaF", false), ("$s1M1fyyYaFTQ0", false), ("_", false), ("TQ", false), ("", false),
  ])
  func piecesOfAsyncFunctionsEndInTheirNumber(name: String, isPiece: Bool) {
    #expect(SwiftSymbol.isAsyncPiece(name) == isPiece)
  }

  @Test func accessorsOfVariablesAreToldApart() throws {
    #expect(try #require(SwiftSymbol("$s1M1xSivau")).isAddressor)
    #expect(try #require(SwiftSymbol("$s1M1SV1xSivsZ")).isStaticSetter)
    let initializer = try #require(SwiftSymbol("$s1M1x_WZ"))
    #expect(initializer.isOnceInitializer && initializer.initializedVariable == "$s1M1x")
    #expect(try #require(SwiftSymbol("$s1M1xSivau")).initializedVariable == nil)
  }

  /// variable initialization expression of M.S.f, and closure #1 in it
  @Test func closuresOfInitialValuesAreFunctions() throws {
    let value = try #require(SwiftSymbol("$s1M1SV1fyycvpfi"))
    let closure = try #require(SwiftSymbol("$s1M1SV1fyycvpfiyycfU_"))
    #expect(value.isOfInitialValue && !value.isClosureOfInitialValue)
    #expect(closure.isClosureOfInitialValue)
  }

  @Test(arguments: [
    ("$s1M1f1aySi_tF", "M", ""), ("$sSS1ME1fyyF", "Swift", "String"), ("$s1M1SV1fyyF", "M", ""),
  ])
  func theContextIsTheOutermost(name: String, module: String, type: String) throws {
    let context = try #require(SwiftSymbol(name)?.context)
    #expect(context.module == module && context.type == type)
  }

  @Test func anExtensionNamesItsModule() throws {
    #expect(try #require(SwiftSymbol("$sSS1ME1fyyF")?.context).extending == .module("M"))
    #expect(try #require(SwiftSymbol("$s1M1SV1fyyF")?.context).extending == .nothing)
  }
}
