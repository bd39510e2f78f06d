import FirstlightModel
import Ordering
import Testing

@Suite struct LinkerFormatTests {
  private let order: SymbolOrder = {
    let build = Build(
      buildID: BuildID("ab12")!, path: "/bin/example", kind: .executable, architecture: "x86_64",
      hasSymbols: true, hasDebugInfo: true,
      functions: ["main", "$s4main5firstSiyF"].map {
        Function(
          address: 0, size: 1, name: $0, demangledName: $0, module: "", file: nil, line: 0,
          isCompilerGenerated: false, isLocal: false)
      }, entryGuards: [0, 1], guardCount: 2)
    var profile = Profile(builds: [RecordedBuild(build: build, runs: 1)])
    profile.processes = [
      RecordedProcess(
        id: "1", run: "r", pid: 1, parentPID: 0, forkedFrom: nil, path: "", arguments: [],
        startedAt: 1, readyAfter: nil, losses: Losses(),
        calls: (0..<2).map { RecordedCall(build: 0, guardIndex: $0, thread: 1, time: 0) })
    ]
    return SymbolOrder(of: OrderingInput(of: 0, in: profile))
  }()

  @Test func lldTakesNames() {
    #expect(names(.lld) == ["main", "$s4main5firstSiyF"])
  }

  @Test func goldTakesSections() {
    #expect(names(.gold) == [".text.main", ".text.$s4main5firstSiyF"])
  }

  @Test func gnuLDTakesAPieceOfAScript() {
    let lines = LinkerFormat.ld.text(order).split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.hasPrefix("/*") }.allSatisfy { $0.hasSuffix("*/") })
    #expect(
      lines.filter { !$0.hasPrefix("/*") }
        == [".text : {", "  *(.text.main)", "  *(.text.$s4main5firstSiyF)", "}"])
  }

  @Test func appleTakesNamesWithAnUnderscore() {
    #expect(names(.ld64) == ["_main", "_$s4main5firstSiyF"])
  }

  @Test func boltTakesNamesAndNothingElse() {
    #expect(LinkerFormat.bolt.text(order) == "main\n$s4main5firstSiyF\n")
  }

  @Test func aTextProfileHoldsTheTraces() {
    let lines = LinkerFormat.proftext.text(order).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.map(String.init)
    #expect(
      lines == [
        ":ir", ":temporal_prof_traces", "1", "1", "1", "main,$s4main5firstSiyF", "main", "1", "1",
        "1", "$s4main5firstSiyF", "1", "1", "1",
      ])
  }

  @Test(arguments: [LinkerFormat.lld, .gold, .ld64, .proftext])
  func theHeadNamesTheBuildAndTheCounts(format: LinkerFormat) {
    let head = format.text(order).split(separator: "\n").filter { $0.hasPrefix("#") }
    #expect(head.contains("# Build id ab12"))
    #expect(head.contains("# 2 of 2 called functions, from 1 process in 1 run"))
    #expect(head.contains { $0.hasPrefix("# Use: ") })
  }

  private func names(_ format: LinkerFormat) -> [String] {
    format.text(order).split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
  }
}
