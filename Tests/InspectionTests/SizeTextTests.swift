import SystemSupport
import Testing

@testable import Inspection

@Suite struct SizeTextTests {
  private static func report(callers: [SizeReport.Caller]) -> SizeReport {
    var library = SizeReport.Module(name: "Library", owner: .dependency("library"))
    (library.code, library.callers) = (358_700, callers)
    var unknown = SizeReport.Module(name: SymbolOwner.unknown.module, owner: .unknown)
    unknown.data = 641_300
    return SizeReport(
      path: "app", fileSize: 1_000_000, sections: [], modules: [unknown, library], others: [],
      specialized: [],
      symbols: [
        .init(
          linkerName: "icudt76_dat", name: "icudt76_dat", module: unknown.name,
          section: ".rodata", bytes: 600_000),
        .init(
          linkerName: "_ZN5ninja4mainEiPPc", name: "ninja::main(int, char**)",
          module: unknown.name, section: ".text", bytes: 100),
      ], isWatched: false, hasLocalSymbols: true)
  }

  private func text(_ callers: [SizeReport.Caller]) throws -> String {
    try SizeFormat.text.text(
      Self.report(callers: callers), limit: 0, paths: SourcePaths(root: nil))
  }

  @Test func sharesAreRounded() throws {
    let text = try text([])
    #expect(text.contains("35.9%") && text.contains("64.1%"))
  }

  @Test func symbolsHaveShortNames() throws {
    let text = try text([])
    #expect(text.contains("  ninja::main\n"), "\(text)")
  }

  @Test func theHintNamesTheLargestSymbolAndBothWaysToLink() throws {
    let text = try text([])
    #expect(text.contains("of it icudt76_dat)"))
    #expect(text.contains("-Wl,-Map=FILE (swift build: -Xlinker -Map=FILE)"))
  }

  @Test func aSingleCallIsNamed() throws {
    let one = SizeReport.Caller(file: "a.c", calls: 1, callee: "format(_:)")
    #expect(try text([one]).contains("through 1 call in a.c, of format(_:)\n"))
    let two = try text([one, SizeReport.Caller(file: "b.c", calls: 2, callee: "x")])
    #expect(two.contains("through 3 calls in a.c (1), b.c (2)"))
  }
}
