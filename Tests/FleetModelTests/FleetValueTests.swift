import FirstlightModel
import FleetModel
import Testing

@Suite struct FleetValueTests {
  /// What `date -u -d @SECONDS +%F` says.
  @Test(arguments: [
    (0.0, "1970-01-01"), (951_782_399, "2000-02-28"), (951_782_400, "2000-02-29"),
    (1_790_000_000, "2026-09-21"), (4_107_542_400, "2100-03-01"),
  ])
  func daysAreThoseOfTheCalendar(moment: Double, day: String) {
    #expect(FleetDay(of: moment).description == day)
    #expect(FleetDay(day) == FleetDay(of: moment))
  }

  @Test(arguments: ["", "2026-9-21", "2026-02-30", "2026-13-01", "20260921", "1969-12-31", "x"])
  func otherTextsAreNoDays(text: String) {
    #expect(FleetDay(text) == nil)
  }

  @Test func labelsHaveOneSpelling() throws {
    let labels = try FleetLabels(["b": "2", "a": "1", "version": "3"])
    #expect(labels.text == "a=1\nb=2")
    #expect(labels.version == "3")
    #expect(FleetLabels(version: "3", text: labels.text) == labels)
    // Stores compare bytes.
    let forms = try ["\u{e9}", "e\u{301}"].map { try FleetLabels(["a": $0]) }
    #expect(Set(forms).count == 2)
    for bad: [TextBytes: String] in [
      ["": "x"], ["a b": "x"], ["a": ""], ["a": "x\ny"], ["a": String(repeating: "x", count: 200)],
    ] {
      #expect(throws: Failure.self) { try FleetLabels(bad) }
    }
    let many = Dictionary(uniqueKeysWithValues: (0..<9).map { (TextBytes("k\($0)"), "v") })
    #expect(throws: Failure.self) { try FleetLabels(many) }
  }

  @Test func aPercentileIsWithinItsBucket() throws {
    var histogram = StartupHistogram()
    for place in 1...1000 { histogram.add(Double(place) / 1000 * 3) }
    for share in [0.01, 0.5, 0.9, 0.99, 1] {
      let value = try #require(histogram.percentile(share))
      #expect(abs(value - share * 3) <= share * 3 * 0.026)
    }
    #expect(StartupHistogram().percentile(0.5) == nil)
  }

  @Test func mergedBodiesAreFoundByTheCaller() {
    let functions = [(0x1000, "a"), (0x1020, "thunk")].map { address, name in
      Function(
        address: UInt64(address), size: 16, name: name, demangledName: name, module: "", file: nil,
        line: 0, isCompilerGenerated: false, isLocal: false)
    }
    let build = Build(
      buildID: BuildID("aa")!, path: "/x", kind: .executable, architecture: "x86_64",
      hasSymbols: true, hasDebugInfo: true, functions: functions, entryGuards: [0, 1], guardCount: 2
    )
    let table = FunctionTable(
      build: build, bodies: [CodeBody(address: 0x2000, size: 64, name: "bodyTm")])
    #expect(table.mergedBodies(callers: [0: 0x1008, 1: 0x2010]) == [1: "bodyTm"])
    #expect(table.mergedBodies(callers: [0: 0x5000, 1: 0x2041]) == [:])
  }
}
