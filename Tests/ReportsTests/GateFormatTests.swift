import FirstlightModel
import Startup
import Testing

/// One result of a gate as text and as a summary.
@Suite struct GateFormatTests {
  static func report(time: Double, notes: [String] = []) -> GateReport {
    func sample(_ value: Double) -> Sample { Sample((0..<20).map { value + Double($0) / 1000 }) }
    let old = StartupInventory(
      libraries: ["libc.so.6"], initializers: ["program": ["a"]], relocations: ["program": 1000])
    var new = old
    if time > 11 { new.initializers["program"]?.append("set_up") }
    let result = GateResult(
      old: [.time: sample(10)], new: [.time: sample(time)], comparable: [.time],
      inventory: (old, new), order: nil, maxRegression: 0.05, looks: 3, drift: [:])
    var conditions = MeasuringConditions(
      arguments: [], until: "exit", isCold: false,
      host: Host(name: "h", kernel: "k", architecture: "x86_64", processor: "p", cores: 1),
      notes: notes)
    conditions.processor = 1
    return GateReport(
      result: result, program: "./my_app", old: "./my_app.good", runs: 20, conditions: conditions)
  }

  @Test func theSummaryHasTheRowsOfTheText() throws {
    let report = Self.report(time: 20)
    let text = try GateFormat.text.text(report)
    let summary = try GateFormat.markdown.text(report)
    #expect(summary.hasPrefix("### ./my\\_app: REGRESSION\n\nWarm start-up until exit, 20 runs"))
    let rows = summary.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { row in
      row.dropFirst(2).dropLast(2).replacing("\\", with: "")
        .components(separatedBy: " | ").filter { !$0.isEmpty && $0 != "-" }
    }
    #expect(rows.count == 6)
    #expect(rows[0] == ["Metric", "Old", "New", "Change", "Between", "Limit", "Verdict"])
    for row in [rows[0]] + rows[2...] {
      #expect(
        text.split(separator: "\n").contains { line in row.allSatisfy { line.contains($0) } },
        "\(row)\n\(text)")
    }
    #expect(summary.contains("| SLOWER |"))
    #expect(summary.contains("| NEW: set\\_up in program |"))
  }

  /// The median of all ratios may contradict the medians beside it.
  @Test func theChangeIsThatOfTheMedians() throws {
    var report = Self.report(time: 10)
    let inventory = StartupInventory(libraries: [], initializers: [:], relocations: [:])
    let (old, new) = (Sample([2, 2, 3, 3, 3]), Sample([3, 3, 3, 4, 4]))
    report.result = GateResult(
      old: [.minorFaults: old], new: [.minorFaults: new], comparable: [.minorFaults],
      inventory: (inventory, inventory), order: nil, maxRegression: 0.05, looks: 3, drift: [:])
    let text = try GateFormat.text.text(report)
    let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("minor faults") })
    #expect(
      row.split(whereSeparator: \.isWhitespace).dropFirst(3).prefix(3) == ["3", "3", "+0.0%"])
  }

  @Test func bothSayWhatToDoWhenInconclusive() throws {
    let report = Self.report(time: 10.5, notes: ["the CPU of <another> machine"])
    for format in [GateFormat.text, .markdown] {
      let text = try format.text(report)
      #expect(text.contains("inconclusive (too noisy)"))
      #expect(
        text.contains(
          /Inconclusive\. \\?-\\?-runs \d+ would probably decide, or use a machine with less other/),
        "\(text)")
    }
    #expect(
      try GateFormat.markdown.text(report).contains("the CPU of \\<another\\> machine\n"))
  }
}
