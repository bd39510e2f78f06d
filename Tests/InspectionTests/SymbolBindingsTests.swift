import FirstlightModel
import Inspection
import NeverCalled
import Recording
import Testing

/// Rules of ld.so, one by one; LibrariesTests has the loader itself as oracle.
@Suite struct SymbolBindingsTests {
  private static func node(
    _ name: String, needs: [Int] = [], defines: [SymbolDefinition] = [],
    asks: [SymbolReference] = [], isSymbolic: Bool = false, isLoadedLater: Bool = false
  ) -> LibraryGraph.Node {
    var facts = BinaryReportTests.facts([])
    facts.dynamic.definitions = defines
    facts.dynamic.references = asks
    facts.dynamic.isSymbolic = isSymbolic
    var node = LibraryGraph.Node(
      name: name, path: "/lib/\(name)", facts: facts, isLoadedLater: isLoadedLater)
    node.needs = needs
    return node
  }

  /// "from>to symbol" of all bindings.
  private static func bindings(_ nodes: [LibraryGraph.Node]) -> Set<String> {
    var found: Set<String> = []
    for use in SymbolBindings(LibraryGraph(nodes: nodes)).uses {
      for symbol in use.symbols {
        found.insert("\(nodes[use.from].name)>\(nodes[use.to].name) \(symbol.name)")
      }
    }
    return found
  }

  @Test func theFirstInLoadOrderServesAll() {
    let found = Self.bindings([
      Self.node("app", needs: [1, 2], asks: [.init(name: "f"), .init(name: "g")]),
      Self.node("one", defines: [.init(name: "f")]),
      Self.node("two", defines: [.init(name: "f"), .init(name: "g")]),
    ])
    #expect(found == ["app>one f", "app>two g"])
  }

  @Test func anExecutableTakesTheLibrarysPlace() {
    let library = Self.node(
      "lib", defines: [.init(name: "malloc")],
      asks: [.init(name: "malloc", isUndefined: false)])
    let app = Self.node("app", needs: [1], defines: [.init(name: "malloc")])
    #expect(Self.bindings([app, library]) == ["lib>app malloc"])
    var symbolic = library
    symbolic.facts.dynamic.isSymbolic = true
    #expect(Self.bindings([app, symbolic]).isEmpty)
  }

  @Test func versionsChoose() {
    let old = SymbolDefinition(name: "f", version: "V1", isHidden: true)
    let new = SymbolDefinition(name: "f", version: "V2")
    func provider(_ version: String, _ first: SymbolDefinition) -> Set<String> {
      Self.bindings([
        Self.node("app", needs: [1, 2], asks: [.init(name: "f", version: version)]),
        Self.node("one", defines: [first]), Self.node("two", defines: [new]),
      ])
    }
    #expect(provider("V2", old) == ["app>two f"])
    #expect(provider("V1", old) == ["app>one f"])
    // Without a version the default one is meant, and an image without versions serves everybody.
    #expect(provider("", old) == ["app>two f"])
    #expect(provider("V2", .init(name: "f")) == ["app>one f"])
  }

  @Test func stubsServeThoseWhoAskForAnAddressOnly() {
    let app = Self.node(
      "app", needs: [1], defines: [.init(name: "f", isStub: true)], asks: [.init(name: "f")])
    func library(_ uses: SymbolReference.Uses) -> LibraryGraph.Node {
      Self.node(
        "lib", defines: [.init(name: "f")],
        asks: [.init(name: "f", isUndefined: false, uses: uses)])
    }
    #expect(Self.bindings([app, library(.call)]) == ["app>lib f"])
    #expect(Self.bindings([app, library(.address)]) == ["app>lib f", "lib>app f"])
  }

  @Test func aCopyIsMadeOfTheLibrarysVariable() {
    let found = Self.bindings([
      Self.node(
        "app", needs: [1], defines: [.init(name: "environ")],
        asks: [.init(name: "environ", isUndefined: false, uses: .copy)]),
      Self.node(
        "lib", defines: [.init(name: "environ")],
        asks: [.init(name: "environ", isUndefined: false, uses: .address)]),
    ])
    #expect(found == ["app>lib environ", "lib>app environ"])
  }

  @Test func whatNoRelocationNamesIsNotLookedUpAndWeakOnesMayBeMissing() {
    let nodes = [
      Self.node(
        "app", needs: [1],
        asks: [
          .init(name: "unused", uses: []), .init(name: "maybe", isWeak: true), .init(name: "gone"),
        ]),
      Self.node("lib", defines: [.init(name: "unused")]),
    ]
    let bindings = SymbolBindings(LibraryGraph(nodes: nodes))
    #expect(bindings.uses.isEmpty)
    #expect(bindings.unresolved[0].map(\.name) == ["gone"])
    #expect(bindings.lookups == [2, 0])
  }

  @Test func anUnneededLibraryIsNamedAndOnlyThat() {
    let account = LibraryReport(
      LibraryGraph(nodes: [
        Self.node("app", needs: [1, 2, 3], asks: [.init(name: "f")]),
        Self.node("libused.so", needs: [3], defines: [.init(name: "f")], asks: [.init(name: "g")]),
        Self.node("libidle.so", defines: [.init(name: "h")]),
        Self.node("libdeep.so", defines: [.init(name: "g")]),
      ]))
    #expect(account.libraries.filter { $0.verdict == .unneeded }.map(\.node.name) == ["libidle.so"])
    #expect(account.libraries.first?.node.name == "libidle.so")
    // The app lists it, though only another needs it: leaving it out there spares nothing.
    let deep = account.libraries.first { $0.node.name == "libdeep.so" }
    #expect(deep?.verdict == .listedWithoutUse)
    #expect(deep?.listedWithoutUse == ["app"])
  }

  @Test func aLibraryFirstUsedAfterReadyCanWait() {
    let graph = LibraryGraph(nodes: [
      Self.node("app", needs: [1], asks: [.init(name: "f")]),
      Self.node("lib", defines: [.init(name: "f")]),
    ])
    func verdict(firstUse: Double?, ready: Double?) -> LibraryReport.Verdict? {
      var run = LibraryRun()
      run.isWatched = true
      run.firstUse = firstUse
      return LibraryReport(graph, runs: ["/lib/lib": run], ready: ready).libraries.first?.verdict
    }
    #expect(verdict(firstUse: 0.2, ready: 0.1) == .afterReady)
    #expect(verdict(firstUse: 0.05, ready: 0.1) == .used)
    #expect(verdict(firstUse: 0.2, ready: nil) == .used)
    #expect(verdict(firstUse: nil, ready: 0.1) == .notCalled)
  }
}
