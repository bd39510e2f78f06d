import FirstlightModel
import Recording

@testable import Inspection
@testable import Ordering
@testable import ProcessControl

extension MadeUp {
  private static func facts(_ path: String, _ dynamic: DynamicFacts) -> BinaryFacts {
    var relocations = RelocationFacts()
    relocations.tables = [
      .init(name: ".rela.dyn", bytes: 240, count: 10),
      .init(name: ".rela.dyn", bytes: 24, count: 1),
    ]
    relocations.counts = ["R_X86_64_RELATIVE": 10, "R_X86_64_64": 1]
    relocations.packed = 3
    relocations.dirtiedPages = [".data": 1, ".got": 1]
    relocations.dirtiedPagesInAll = 2
    func section(_ name: String, _ offset: UInt64, isLoaded: Bool) -> BinarySection {
      BinarySection(
        name: name, address: offset, offset: offset, size: 5000, isLoaded: isLoaded,
        isWritable: false, isExecutable: false, isInFile: true)
    }
    return BinaryFacts(
      path: path, buildID: BuildID("aa01"), kind: .executable, architecture: "x86_64",
      fileSize: 123_456, isPositionIndependent: true, interpreter: "/lib64/ld-linux-x86-64.so.2",
      sections: [
        section(".rela.dyn", 0x1000, isLoaded: true), section(".comment", 0x9000, isLoaded: false),
      ], dynamic: dynamic, relocations: relocations,
      initializers: [Initializer(list: ".init_array", address: 0x1234, name: "set_up")],
      guardCount: 5, functionStarts: [])
  }

  private static let dynamic: DynamicFacts = {
    var dynamic = DynamicFacts()
    dynamic.needed = ["liby.so.1"]
    dynamic.definitions = [SymbolDefinition(name: "main")]
    dynamic.references = [
      SymbolReference(name: "y_open", version: "Y_1"), SymbolReference(name: "y_close"),
    ]
    return dynamic
  }()

  static let binary: BinaryReport = {
    var report = BinaryReport(facts("/bin/program", dynamic), libraries: [], input: nil)
    report.findings = [
      Finding(
        .relocations, "always", cost: .always(8),
        details: [
          .init("  count", .count(1)), .init("pages", .pages(2)), .init("bytes", .bytes(3)),
          .init("text", .text("a text")), .init("names", .names(["b", "a"])),
        ], advice: "do this", price: "that"),
      Finding(.exportedSymbols, "at most", cost: .upTo(4)),
      Finding(.debugInfo, "on disk", cost: .disk(5000)),
      Finding(.hashStyle, "nothing", cost: .none, advice: "do that"),
    ]
    return report
  }()

  static let libraries: LibraryReport = {
    var provided = DynamicFacts()
    provided.definitions = [
      SymbolDefinition(name: "y_open", version: "Y_1"), SymbolDefinition(name: "y_close"),
    ]
    provided.needed = ["libz.so.1"]
    var nodes = [("/bin/program", dynamic), ("liby.so.1", provided), ("libz.so.1", .init())].map {
      LibraryGraph.Node(
        name: $0, path: "/lib/\(BaseName.of($0))", facts: facts($0, $1), isLoadedLater: false)
    }
    nodes[0].needs = [1]
    nodes[1].needs = [2]
    nodes[1].missing = ["libgone.so.1"]
    var run = LibraryRun()
    run.isWatched = true
    run.functions = 3
    run.codePages = 2
    run.firstUse = 0.0123
    run.mapping = 0.0011
    run.relocating = 0.0021
    run.initializing = 0.0031
    var report = LibraryReport(
      LibraryGraph(nodes: nodes),
      runs: ["/lib/liby.so.1": run, "/lib/libz.so.1": LibraryRun()], ready: 0.0125,
      notes: ["a note"])
    report.unresolved = [(symbol: "nowhere", by: "liby.so.1")]
    return report
  }()

  static let order: OrderVerification = {
    var verification = OrderVerification(
      of: ["a"],
      in: LinkedBinary(
        symbols: [TargetSymbol(name: "a", address: 0x1000, size: 40, isLocal: false)],
        outputSections: [".text"]), pageSize: 4096)
    let fates: [OrderVerification.Fate] = [
      .inOrder, .folded(into: "a"), .absent, .inlined, .otherOutputSection(".init"),
      .sharesSection(file: "a.o", neighbour: nil), .sharesSection(file: nil, neighbour: "b"),
      .outOfPlace,
    ]
    verification.entries = fates.enumerated().map { number, fate in
      .init(name: "f\(number)", address: number == 2 ? nil : 0x1000, fate: fate)
    }
    return verification
  }()

  static let machine: MachineReport = {
    var facts = MachineFacts(host: host)
    facts.libc = "2.39"
    var report = MachineReport(facts)
    report.sections = [
      .init(
        title: "First",
        findings: [
          MachineFinding("a", "an a", .available, "works"),
          MachineFinding("b", "a b", .missing, "fails", cost: "this", advice: "do that"),
        ]), .init(title: "Second", findings: [MachineFinding("c", "a c", .note, "so")]),
    ]
    return report
  }()
}
