import Testing

@testable import Reports
@testable import Startup

@Suite struct ConformanceLookupsTextTests {
  private func lookup(scanned: Bool?, function: String) -> ConformanceLookups.Lookup {
    .init(
      type: "A", proto: "P", thread: 1, parent: nil, duration: 20_000, stops: 1, scanned: scanned,
      conforms: false, caller: .init(function: function, file: "/x/y.swift", line: 3))
  }

  @Test func aReportShowsCountsShareAndPairs() {
    let text = MadeUp.startup.document().text()
    #expect(
      text.contains(
        "Protocol conformance look-ups: 2 (1 found, 1 not), 1 scanned all records; 0.01 ms, "
          + "22.5% of the CPU time (0.01 ms in the main thread)\n"))
    #expect(
      text.contains("0.01         1      1  yes    Square  Shape     main.swift:12  main\n"))
  }

  @Test func unknownScansAreQuestionMarks() {
    let lookups = ConformanceLookups(
      [lookup(scanned: nil, function: "f"), lookup(scanned: nil, function: "f")], mainThread: 1,
      cpuTime: nil)
    let text = Document(lookups.blocks(5)).text()
    #expect(text.contains("2 (0 found, 2 not), 1 different question; 0.04 ms\n"))
    #expect(text.contains("0.04         2      ?  no     A     P         y.swift:3  f\n"))
    #expect(text.contains("Scans are unknown"))
  }

  @Test func aSpecializationHasTheNameOfItsFunction() {
    let name = "generic specialization <Swift.Int> of closure #1 (A) in f(A) -> B"
    let text = Document(
      ConformanceLookups([lookup(scanned: true, function: name)], mainThread: 1, cpuTime: nil)
        .blocks(5)
    ).text()
    #expect(text.contains("y.swift:3  f\n"))
  }

  @Test func rowsFitIn100ColumnsAndNoNameIsCut() {
    let name = "static M.AVeryLongNameOfTheType.function(with: Swift.Int) -> ()"
    let long = String(repeating: "Name", count: 10)
    let lookups = ["M.Seq<Swift.Int>", "M.Seq<Swift.String>", "M.Map<Swift.Int>"].map { type in
      ConformanceLookups.Lookup(
        type: type, proto: "M.P", thread: 1, parent: nil, duration: 20_000, stops: 1,
        scanned: true, conforms: false,
        caller: .init(function: name, file: "/x/\(long).swift", line: 3))
    }
    let text = Document(
      ConformanceLookups(lookups, mainThread: 1, cpuTime: nil).blocks(5)
    ).text()
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    #expect(text.contains("AVeryLongNameOfTheType.function\n"))
    #expect(!text.contains(".swift:3"))
    // Types whose short names collide are whole.
    #expect(text.contains("  M.Seq<Swift.Int>") && text.contains("  Map<...>"))
  }
}
