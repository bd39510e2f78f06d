import DeadCode
import FirstlightModel
import References
import TextFormatting

/// A never-called list as one page that needs nothing else: no network, no other file. A treemap of
/// the code by module, file and function, and a table that can be searched and sorted.
enum DeadHTML {
  /// - Parameter links: paths from where the page will lie.
  static func text(
    _ list: DeadCodeList, references: ReferenceText? = nil, paths: SourcePaths, links: SourcePaths
  ) throws(Failure) -> String {
    HTMLPage.text(
      title: "Never-called functions", style: DeadHTMLStyle.sheet, body: body(list, references),
      data: try data(list, references, paths, links), script: DeadHTMLScript.text)
  }

  private static func body(_ list: DeadCodeList, _ references: ReferenceText?) -> String {
    let own =
      list.scope == .own
      ? "<option value=\"own\">own code, never called and rarely called</option>" : ""
    return """
      <h1>\(title(list))</h1>
      \(deletable(list, references))\(observation(list))\(sums(list))<section aria-labelledby="map-title">
      <h2 id="map-title">Code by size</h2>
      <p class="small">The area of a tile is the size of its code. Click a tile to look into it.</p>
      <p class="small" id="crumbs"></p>
      <svg id="map" role="img" aria-label="Treemap of the functions by bytes, coloured by the share of runs that called them"></svg>
      <ul class="legend"><li><i class="c-never"></i>never called</li><li><i class="c-low"></i>few runs</li><li><i class="c-all"></i>all runs</li><li><i class="c-unknown"></i>unknown</li></ul>
      </section>
      <section aria-labelledby="table-title">
      <h2 id="table-title">Functions</h2>
      <form id="controls">
      <label>Search <input id="search" type="search" placeholder="name, file, module or owner"></label>
      <label>Show <select id="verdict">\(own)<option value="dead">never called and rarely called</option><option value="">all</option></select></label>
      \(references == nil ? "" : "<label>References <select id=\"group\"><option value=\"\">any</option></select></label>")
      <output id="count"></output>
      </form>
      <div class="scroll" tabindex="0"><table id="list"><thead><tr></tr></thead><tbody></tbody></table></div>
      <button id="more" type="button" hidden>Show more</button>
      <noscript><p>The table and the map need JavaScript; <code>firstlight dead --format text</code> does not.</p></noscript>
      </section>

      """
  }

  private static func title(_ list: DeadCodeList) -> String {
    let dead = list.dead.filtered(list.isInScope)
    return "\(CountText.text(dead.count, "function")) never called, "
      + CountText.bytes(dead.reduce(0) { $0 + $1.bytes })
  }

  private static func deletable(_ list: DeadCodeList, _ references: ReferenceText?) -> String {
    references.flatMap { DeadSentences.deletable(list, $0) }
      .map { "<p class=\"deletable\">\(HTMLText.escaped($0))</p>\n" } ?? ""
  }

  private static func observation(_ list: DeadCodeList) -> String {
    var lines = DeadSentences.observation(list.report.observation)
    if let bound = DeadSentences.bound(list) { lines.append(bound) }
    let isLossy = !list.report.observation.losses.isEmpty
    return "<div class=\"result\(isLossy ? " lossy" : "")\">\n"
      + lines.map { "<p>\(HTMLText.escaped($0))</p>\n" }.joined() + "</div>\n"
  }

  private static func sums(_ list: DeadCodeList) -> String {
    let report = list.report
    let items = Verdict.allCases.filter { report.count($0) > 0 }.map { verdict in
      "<dt>\(CountText.number(report.count(verdict)))</dt>"
        + "<dd>\(HTMLText.escaped(DeadSentences.label(verdict)))</dd>\n"
    }
    return "<dl class=\"sums\">\n\(items.joined())</dl>\n"
      + "<p class=\"small\">\(HTMLText.escaped(DeadText.equation(report.sums) ?? ""))</p>\n"
  }

  /// The functions, as short as can be: pages of a hundred thousand functions have to open.
  private static func data(
    _ list: DeadCodeList, _ references: ReferenceText?, _ paths: SourcePaths,
    _ links: SourcePaths
  ) throws(Failure) -> String {
    var tables = Tables()
    let rows = list.report.functions.filter { $0.verdict != .compilerGenerated }.map { row in
      var cells = Row(
        row, module: tables.number(row.module, in: \.modules),
        file: row.file.map { tables.file(paths.shown($0), link: links.uri($0)) } ?? -1,
        owner: tables.number(row.owners.joined(separator: " "), in: \.owners),
        isInScope: list.isInScope(row))
      if let references, let group = references.group(row) {
        cells.references = (
          group.rawValue, tables.number(references.text(row.identity) ?? "", in: \.references)
        )
      }
      return cells
    }
    return try JSONForm.compact(
      Document(
        verdicts: Verdict.allCases.map(\.rawValue), modules: tables.modules, files: tables.files,
        links: tables.links, owners: tables.owners,
        groups: references == nil ? nil : ReferenceGroup.allCases.map(ReferenceText.title),
        references: tables.references, rows: rows))
  }

  private struct Tables {
    var modules: [String] = []
    var files: [String] = []
    var owners: [String] = []
    var references: [String] = []
    /// Where each of `files` is.
    var links: [String] = []
    private var numbers: [String: Int] = [:]

    mutating func file(_ path: String, link: String) -> Int {
      let index = number(path, in: \.files)
      if index == links.count { links.append(link) }
      return index
    }

    mutating func number(_ text: String, in table: WritableKeyPath<Tables, [String]>) -> Int {
      let key =
        table == \.modules ? "m" : table == \.files ? "f" : table == \.references ? "r" : "o"
      if let known = numbers[key + text] { return known }
      numbers[key + text] = self[keyPath: table].count
      self[keyPath: table].append(text)
      return self[keyPath: table].count - 1
    }
  }

  private struct Document: Encodable {
    var verdicts, modules, files, links, owners: [String]
    /// Of references; none without an index.
    var groups: [String]?
    var references: [String]
    var rows: [Row]
  }

  /// Name, module, file, line, bytes, called runs, watched runs, verdict, bound, owner, whether it is of the
  /// scope; with an index the group of its references and what they are, if it was never called.
  private struct Row: Encodable {
    var row: FunctionReport
    var module, file, owner: Int
    var isInScope: Bool
    var references: (group: Int, text: Int)?

    init(_ row: FunctionReport, module: Int, file: Int, owner: Int, isInScope: Bool) {
      self.row = row
      self.module = module
      self.file = file
      self.owner = owner
      self.isInScope = isInScope
    }

    func encode(to encoder: any Encoder) throws {
      var cells = encoder.unkeyedContainer()
      try cells.encode(row.name)
      try cells.encode(module)
      try cells.encode(file)
      try cells.encode(row.line)
      try cells.encode(row.bytes)
      try cells.encode(row.calledRuns)
      try cells.encode(row.watchedRuns)
      try cells.encode(Verdict.allCases.firstIndex(of: row.verdict) ?? 0)
      try cells.encode((row.bound * 1e4).rounded() / 1e4)
      try cells.encode(owner)
      try cells.encode(isInScope ? 1 : 0)
      if let references {
        try cells.encode(references.group)
        try cells.encode(references.text)
      }
    }
  }
}
