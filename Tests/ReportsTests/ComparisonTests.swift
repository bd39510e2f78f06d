import FirstlightModel
import Foundation
import Inspection
import Startup
import SystemSupport
import Testing

/// One comparison in each of its forms.
@Suite struct ComparisonTests {
  private static func section(
    _ name: String, _ pages: Range<UInt64>, isExecutable: Bool
  ) -> BinarySection {
    BinarySection(
      name: name, address: pages.lowerBound * 4096, offset: pages.lowerBound * 4096,
      size: UInt64(pages.count) * 4096, isLoaded: true, isWritable: false,
      isExecutable: isExecutable, isInFile: true)
  }

  private static func side(_ path: String, touching step: Int, _ times: [Double])
    -> StartupComparison.Side
  {
    let facts = BinaryFacts(
      path: path, buildID: nil, kind: .executable, architecture: "x86_64", fileSize: 4096 * 130,
      isPositionIndependent: true, interpreter: nil,
      sections: [
        section(".rodata", 0..<10, isExecutable: false),
        section(".text", 10..<130, isExecutable: true),
      ], dynamic: .init(), relocations: .init(), initializers: [], guardCount: 0,
      functionStarts: [])
    return .init(
      facts: facts,
      runs: times.map { StartupRun(values: [.time: $0, .majorFaults: 1200, .rss: 9000 + $0]) },
      map: PageMap(facts, touched: (0..<130).map { $0 % step == 0 }, isExact: true))
  }

  static let comparison = StartupComparison(
    a: side("a <&\"'>", touching: 2, [1048.125, 1049, 1050, 1051, 1052, 1053, 1054]),
    b: side("b", touching: 5, [38.1, 38.2, 38.3, 38.4, 38.5, 38.6, 38.7]),
    conditions: {
      var conditions = MeasuringConditions(
        arguments: ["--x", "<y>"], until: "exit", isCold: true,
        host: Host(
          name: "host", kernel: "Linux 6", architecture: "x86_64", processor: "CPU", cores: 2),
        notes: ["a note"])
      conditions.readahead = (128, nil)
      conditions.droppedFiles = ["/x/a", "/x/b"]
      conditions.keptFiles = ["/lib/libc.so.6"]
      return conditions
    }())

  /// Wide enough for all columns.
  private static let wide = TextStyle(width: 120)

  @Test func aLibraryOfBothProgramsIsNamedOnce() throws {
    var comparison = Self.comparison
    comparison.conditions.droppedFiles += [
      "/old/libq.so", "/new/libq.so", "/new/caf\u{e9}", "/new/cafe\u{301}",
    ]
    let text = try ComparisonFormat.text.text(comparison, style: Self.wide)
    #expect(text.containsUTF8(" both programs, a, b, libq.so, caf\u{e9}, cafe\u{301}\n"), "\(text)")
  }

  @Test(arguments: [100, 80]) func tablesFitTheirWidth(width: Int) throws {
    let text = try ComparisonFormat.text.text(Self.comparison, style: TextStyle(width: width))
    let rows = text.split(separator: "\n").filter { $0.contains("time to ready (ms) ") }
    #expect(!rows.isEmpty && rows.allSatisfy { $0.count <= width } && text.contains("-96.3%"))
  }

  /// The page's text between tags, entities undone, table cells apart.
  private static func cells(_ page: String) -> [String] {
    page.components(separatedBy: "<").compactMap { piece in
      guard let end = piece.firstIndex(of: ">") else { return nil }
      let text = piece[piece.index(after: end)...]
      return text.replacingOccurrences(of: "&lt;", with: "<").replacingOccurrences(
        of: "&gt;", with: ">"
      )
      .replacingOccurrences(of: "&quot;", with: "\"").replacingOccurrences(of: "&#39;", with: "'")
      .replacingOccurrences(of: "&amp;", with: "&")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    }.filter { !$0.isEmpty }
  }

  @Test func theTextSaysWhatWasMeasuredAndWhatItComesTo() throws {
    let text = try ComparisonFormat.text.text(Self.comparison, style: Self.wide)
    #expect(text.hasPrefix("Cold start-up until exit, 7 runs of each in turn\n"))
    let lines = text.components(separatedBy: "\n")
    let row = lines.first { $0.hasPrefix("time to ready (ms)") }?
      .split(separator: " ").map(String.init)
    #expect(
      row == [
        "time", "to", "ready", "(ms)", "1,051.00", "3.00", "38.40", "0.30", "-96.3%", "0.0009",
        "-1.00", "lower",
      ])
    #expect(text.contains("No measurable difference in: major faults."))
    #expect(text.contains("A 128.0 KiB, B unknown"))
    #expect(
      lines.contains {
        $0.hasPrefix("  total ") && $0.hasSuffix(" 130         65      130         26")
      })
  }

  @Test func coloursAreOnVerdictsAlone() throws {
    let plain = try ComparisonFormat.text.text(Self.comparison)
    let coloured = try ComparisonFormat.text.text(
      Self.comparison, style: TextStyle(isColoured: true))
    #expect(!plain.contains("\u{1b}"))
    #expect(coloured.contains("  \u{1b}[32mlower\u{1b}[0m\n"))
    let bare = coloured.replacing(#/\u{1b}\[[0-9]+m/#, with: "")
    #expect(bare == plain)
    let json = try ComparisonFormat.json.text(Self.comparison, style: TextStyle(isColoured: true))
    #expect(!json.contains("\u{1b}"))
  }

  @Test func thePageHasTheNumbersOfTheText() throws {
    let cells = Set(Self.cells(Self.comparison.page))
    let lines = try ComparisonFormat.text.text(Self.comparison).components(separatedBy: "\n")
    var compared = 0
    for line in lines where line.contains("  ") {
      // Columns are two blanks apart, and no cell holds two.
      let columns = line.components(separatedBy: "  ").map {
        $0.trimmingCharacters(in: .whitespaces)
      }.filter { !$0.isEmpty }
      for column in columns {
        #expect(cells.contains(column), "\(column)")
        compared += 1
      }
    }
    #expect(compared > 40)
    // What was put in, as read by hand.
    #expect(cells.isSuperset(of: ["38.40", "0.30", "-96.3%", "0.0009", "-1.00", "lower", "130"]))
  }

  @Test func theSummaryHasTheTablesOfTheText() throws {
    let text = try ComparisonFormat.text.text(Self.comparison, style: Self.wide)
    let summary = try ComparisonFormat.markdown.text(Self.comparison)
    #expect(summary.hasPrefix("### Cold start-up until exit, 7 runs of each in turn\n\n"))
    #expect(summary.contains("\n- A: a \\<\\&\"'\\> ("))
    let rows = summary.split(separator: "\n").filter { $0.hasPrefix("| ") }
    #expect(rows.contains { $0.contains("| 38.40 | 0.30 | -96.3% | 0.0009 | -1.00 | lower |") })
    #expect(rows.contains("| total | 130 | 65 | 130 | 26 |"))
    for row in rows where !row.hasPrefix("| :--") {
      let cells = row.dropFirst(2).dropLast(2).replacing("\\", with: "")
        .components(separatedBy: " | ")
      #expect(
        text.split(separator: "\n").contains { line in cells.allSatisfy { line.contains($0) } },
        "\(row)")
    }
    #expect(summary.contains("\n- readahead: A 128.0 KiB, B unknown\n"))
  }

  @Test func eachPageIsACellOfTheMap() {
    let page = Self.comparison.page
    let maps = page.components(separatedBy: "<svg class=\"map\"").dropFirst()
    #expect(maps.count == 2)
    for (map, touched) in zip(maps, [65, 26]) {
      var counts = [0, 0]
      for rect in map.components(separatedBy: "</svg>")[0].components(separatedBy: "<rect ")
        .dropFirst()
      {
        let isTouched = rect.components(separatedBy: "\" ")[0].hasSuffix(" t")
        let number = rect.components(separatedBy: "data-pages=\"")[1].prefix { $0.isNumber }
        counts[isTouched ? 1 : 0] += Int(number)!
      }
      #expect(counts == [130 - touched, touched])
    }
  }

  @Test func namesFromOutsideAreEscaped() {
    let page = Self.comparison.page
    #expect(page.contains("a &lt;&amp;&quot;&#39;&gt;"))
    #expect(!page.contains("<y>"))
    // Every element that is opened is closed.
    for tag in ["table", "tr", "td", "th", "svg", "figure", "dl", "dd", "div", "ul", "li", "title"]
    {
      let opened =
        page.components(separatedBy: "<\(tag)>").count
        + page.components(separatedBy: "<\(tag) ").count - 2
      #expect(opened == page.components(separatedBy: "</\(tag)>").count - 1, "\(tag)")
    }
  }
}
