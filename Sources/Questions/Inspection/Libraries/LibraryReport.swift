import FirstlightModel
import NeverCalled
import Recording

/// The purpose and cost of each shared library of a program, with advice.
package struct LibraryReport: Sendable {
  package struct Library: Sendable {
    package var node: LibraryGraph.Node
    /// Names of the images that list it (`DT_NEEDED`), in load order.
    package var neededBy: [String]
    /// Those images that bind no symbol of it themselves.
    package var listedWithoutUse: [String]
    /// The images with the symbols that they bind, in load order.
    package var uses: [Use]
    /// Names of the libraries that are reachable only through this one, and would be removed with it.
    package var brings: [String]
    /// `relocationPages` of the library and of those in `brings`.
    var pagesInAll: Int
    /// Whether it is the loader itself, which is present even if no binary lists it.
    var isLoader: Bool
    package var run: LibraryRun?
    package var verdict: Verdict = .used

    /// The runtime that it belongs to; nil if none.
    package var runtime: RuntimeLibrary? {
      isLoader ? .system : RuntimeLibrary(BaseName.of(node.name))
    }

    /// Whether binaries can be linked without it. Swift's compiler requests its own libraries in objects.
    var canBeLeftOut: Bool { runtime == nil || runtime == .companion }

    /// Whether a program can open it itself: no runtime, and no exporter of Swift or C++ types.
    var canBeOpened: Bool {
      runtime == nil && !boundSymbols.contains { $0.isSwiftSymbol || $0.begins(with: "_ZT") }
    }

    /// Distinct symbols that any image binds.
    var boundSymbols: [String] {
      var seen: Set<TextBytes> = []
      return uses.flatMap(\.symbols).map(\.name).filter { seen.insert($0).inserted }
    }

    /// 4 KiB pages read or written at each start for relocation.
    var relocationPages: Int { LibraryReport.relocationPages(node.facts) }

    /// 4 KiB pages of the file that are mapped, and read when touched.
    package var mappedPages: Int { BinaryReport.filePages(node.facts) { _ in true } }

    /// Initializers, except those from the C start files.
    var ownInitializers: [Initializer] {
      node.facts.initializers.filter {
        $0.list != "_init" && $0.name != "frame_dummy" && $0.name != "_init"
      }
    }
  }

  package struct Use: Sendable {
    package var by: String
    package var symbols: [SymbolReference]
  }

  package enum Verdict: String, Sendable {
    /// No binary binds one of its symbols.
    case unneeded
    /// None of its functions ran in the recorded run, except initializers.
    case notCalled = "not called"
    /// First used after the program was ready.
    case afterReady = "after ready"
    /// The binary lists it without binding a symbol; others bind some.
    case listedWithoutUse = "listed without use"
    case used
  }

  /// The binary itself, for a comparison of costs.
  package var binary: Library
  /// Worst first.
  package var libraries: [Library]
  /// Libraries that were not found, each with the binary that needs it.
  package var missing: [(name: String, by: String)]
  /// Symbols that no binary defines, each with the binary that needs it.
  package var unresolved: [(symbol: String, by: String)]
  /// Number of symbols that the loader looks up: all, and those of functions that are only called.
  package var lookups: (all: Int, calls: Int)
  /// Seconds from start to ready; nil without a run, or if the program did not report readiness.
  package var ready: Double?
  /// Further notes, one line each.
  package var notes: [String]

  /// - Parameter runs: the recorded use by real path; nil without a run.
  package init(
    _ graph: LibraryGraph, runs: [TextBytes: LibraryRun]? = nil, ready: Double? = nil,
    notes: [String] = []
  ) {
    self.ready = ready
    self.notes = notes
    let bindings = SymbolBindings(graph)
    let names = graph.nodes.map { BaseName.of($0.name) }
    let neededBy = graph.neededBy
    let loader = graph.nodes[0].facts.interpreter.map { BaseName.of($0) }
    var uses = [[Use]](repeating: [], count: graph.nodes.count)
    var users = [Set<Int>](repeating: [], count: graph.nodes.count)
    for use in bindings.uses {
      uses[use.to].append(Use(by: names[use.from], symbols: use.symbols))
      users[use.to].insert(use.from)
    }
    var all = graph.nodes.indices.map { index in
      let gone = graph.goneWithout(index)
      let idle = neededBy[index].filter { !users[index].contains($0) }
      return Library(
        node: graph.nodes[index], neededBy: neededBy[index].map { names[$0] },
        listedWithoutUse: idle.map { names[$0] }, uses: uses[index],
        brings: gone.filter { $0 != index }.map { names[$0] },
        pagesInAll: gone.reduce(0) { $0 + Self.relocationPages(graph.nodes[$1].facts) },
        isLoader: names[index] == loader, run: runs?[graph.nodes[index].path])
    }
    for index in all.indices.dropFirst() where !all[index].isLoader {
      all[index].verdict = Self.verdict(all[index], of: names[0], ready: ready)
    }
    binary = all.removeFirst()
    libraries = all.enumerated()
      .sorted { Self.rank($0.element, $0.offset) < Self.rank($1.element, $1.offset) }
      .map(\.element)
    missing = graph.nodes.indices.flatMap { index in
      graph.nodes[index].missing.map { (name: $0, by: names[index]) }
    }
    unresolved = bindings.unresolved.indices.flatMap { index in
      bindings.unresolved[index].map { (symbol: $0.name, by: names[index]) }
    }
    let calls = graph.nodes.reduce(0) { sum, node in
      sum + node.facts.dynamic.references.count { $0.uses == .call }
    }
    lookups = (bindings.lookups.reduce(0, +), calls)
  }

  /// Whether Swift's compiler linked the binary: it passes the libraries in its own order.
  package var isSwift: Bool {
    binary.node.facts.dynamic.needed.contains { RuntimeLibrary($0) == .swift }
  }

  /// Swift's libraries, if all of them can be linked statically; else none.
  var linkableSwiftRuntime: [Library] {
    let runtime = libraries.filter { $0.runtime == .swift }
    // These exist only as shared libraries, or need static libraries of others.
    let bound = ["libXCTest", "libTesting", "libFoundationNetworking", "libFoundationXML"]
    let name = BaseName.of(binary.node.name)
    let isPossible =
      binary.node.facts.kind == .executable
      && runtime.allSatisfy { library in
        !library.node.isLoadedLater
          && !bound.contains { BaseName.of(library.node.name).begins(with: $0 + ".") }
          && library.neededBy.allSatisfy { $0 == name || RuntimeLibrary($0) == .swift }
      }
    return isPossible ? runtime : []
  }

  static func relocationPages(_ facts: BinaryFacts) -> Int {
    let names = Set(texts: facts.relocations.tables.map(\.name))
    return BinaryReport.filePages(facts) { names.contains($0.name) }
      + facts.relocations.dirtiedPagesInAll
  }

  private static func verdict(
    _ library: Library, of binary: String, ready: Double?
  ) -> Verdict {
    if library.uses.isEmpty, !library.node.isLoadedLater { return .unneeded }
    if let run = library.run, run.isWatched {
      guard let first = run.firstUse else { return .notCalled }
      if let ready, first > ready, !library.node.isLoadedLater { return .afterReady }
    }
    return library.listedWithoutUse.contains(binary) ? .listedWithoutUse : .used
  }

  private static func rank(_ library: Library, _ place: Int) -> (Int, Double, Int, Int) {
    let group: Int
    switch library.verdict {
    case .unneeded: group = 0
    case .notCalled, .afterReady: group = 1
    case .used, .listedWithoutUse: group = 2
    }
    return (group, -(library.run?.time ?? 0), -library.relocationPages, place)
  }
}
