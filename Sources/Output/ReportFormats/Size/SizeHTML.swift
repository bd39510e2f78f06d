import BinaryInspection
import FirstlightModel
import SystemSupport

/// What a binary is made of, as a self-contained page: a treemap of modules and their symbols, coloured by the
/// share that was called, and tables.
enum SizeHTML {
  /// Symbols in the page. The rest of a module is one tile.
  private static let mostSymbols = 20_000

  static func text(_ report: SizeReport) throws(Failure) -> String {
    HTMLPage.text(
      title: "What \(BaseName.of(report.path)) is made of", style: style, body: body(report),
      data: try data(report), script: DeadHTML.treemap + script)
  }

  private static let script = ResourceText.of(PackageResources.size_js)
  private static let style = DeadHTML.style

  private static func body(_ report: SizeReport) -> HTML {
    let sentence =
      report.isWatched
      ? "Green was called, orange in part, red never; grey is data, or was not watched."
      : "Without a profile, nothing is known about calls: firstlight size BINARY PROFILE.flp shows them."
    return """
      <h1>What \(BaseName.of(report.path)) is made of</h1>
      <p>\(CountText.bytes(report.fileSize)), \(CountText.text(report.symbols.count, "symbol")). \
      \(sentence)</p>
      <p><button type="button" id="back" hidden>All modules</button> <strong id="place"></strong></p>
      <svg id="map" role="group" aria-label="Treemap of modules"></svg>
      \(HTMLTable.html(
        caption: "Modules", head: ["Module", "Of", "Bytes", "Code", "Data", "Called"],
        rows: modules(report), leftColumns: [1]))\
      \(HTMLTable.html(
        caption: "Sections", head: ["Section", "Bytes"],
        rows: report.sections.map { [$0.name, CountText.bytes($0.bytes)] }))
      """
  }

  private static func modules(_ report: SizeReport) -> [[String]] {
    report.modules.map {
      [
        $0.name, $0.owner.text, CountText.bytes($0.bytes), CountText.bytes($0.code),
        CountText.bytes($0.data), $0.calledShare.map(NumberText.share) ?? "",
      ]
    } + report.others.map { [$0.name, "", CountText.bytes($0.bytes), "", "", ""] }
  }

  private static func data(_ report: SizeReport) throws(Failure) -> String {
    let places = Dictionary(
      report.modules.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let modules =
      report.modules.map {
        [
          "name": $0.name, "bytes": $0.bytes, "watched": $0.watchedBytes, "called": $0.calledBytes,
        ] as JSONObject
      } + report.others.map { ["name": $0.name, "bytes": $0.bytes, "watched": 0, "called": 0] }
    let symbols = report.symbols.prefix(mostSymbols).map {
      PageRow(name: $0.name, module: places[$0.module] ?? 0, bytes: $0.bytes, isCalled: $0.isCalled)
    }
    let all: JSONObject = ["modules": modules, "symbols": symbols]
    return try JSONForm.compact(all)
  }

  /// `[name, module, bytes, called]`
  private struct PageRow: Encodable {
    var name: String
    var module: Int
    var bytes: UInt64
    var isCalled: Bool?

    func encode(to encoder: any Encoder) throws {
      var row = encoder.unkeyedContainer()
      try row.encode(name)
      try row.encode(module)
      try row.encode(bytes)
      if let isCalled { try row.encode(isCalled) } else { try row.encodeNil() }
    }
  }
}
