import FirstlightModel
import Reports
import SystemSupport

/// A never-called list as a self-contained page: no network, no other file. It has a treemap of the code by
/// module, file and function, and a table that can be searched and sorted.
enum DeadHTML {
  /// - Parameter links: paths relative to the page.
  static func text(
    _ list: DeadCodeList, references: ReferenceText? = nil, paths: SourcePaths, links: SourcePaths
  ) throws(Failure) -> String {
    HTMLPage.text(
      title: DeadSentences.title(list), style: Treemap.style, body: body(list, references, paths),
      data: try data(list, references, paths, links), script: script)
  }

  /// Draws the treemap; searches and sorts the table.
  static let script = Treemap.script + ResourceText.of(PackageResources.never_called_js)

  private static func body(
    _ list: DeadCodeList, _ references: ReferenceText?, _ paths: SourcePaths
  ) -> HTML {
    let observation = list.report.observation
    let sums = list.sums
    let title = DeadSentences.title(list)
    let deletable = references.flatMap { DeadSentences.deletable(list, $0) }
    let sentences =
      ChangeText.lines(list, paths) + DeadSentences.observation(observation)
      + DeadSentences.notes(list)
    let counts = DeadSentences.verdicts(list).filter { $0.count > 0 }.map { row -> HTML in
      "<dt>\(CountText.number(row.count))</dt><dd>\(row.label)</dd>\n"
    }
    let notes = [DeadSentences.known(list), otherCode(list, sums)]
      .compactMap(\.self)
    let isOwn = list.scope == .own
    let ownOption: HTML =
      "<option value=\"own\">own code, never or rarely called</option>"
    let watched = Verdict.notCalledWhileWatched.rawValue
    let watchedOption: HTML? =
      list.gatedCount == 0 && !list.inWindows.isEmpty
      ? "<option value=\"\(watched)\">\(watched)</option>" : nil
    let groups: HTML =
      "<label>References <select id=\"group\"><option value=\"\">any</option></select></label>\n"
    return """
      <h1>\(title)</h1>
      \(deletable.map { "<p class=\"deletable\">\($0)</p>\n" })\
      <div class="result\(observation.losses.isEmpty ? "" : " lossy")">
      \(sentences.map { "<p>\($0)</p>\n" })</div>
      <dl class="sums">
      \(counts)</dl>
      \(notes.map { "<p class=\"small\">\($0)</p>\n" })<section aria-labelledby="map-title">
      <h2 id="map-title">Code by size</h2>
      <p class="small">The area of a tile is the size of its code. Click a tile to look into it.</p>
      <p class="small" id="crumbs"></p>
      <svg id="map" role="img" aria-label="Treemap of the functions by bytes, coloured by the \
      share of runs that called them"></svg>
      <ul class="legend"><li><i class="c-never"></i>never called</li>\
      <li><i class="c-low"></i>few runs</li><li><i class="c-all"></i>all runs</li>\
      <li><i class="c-unknown"></i>unknown</li></ul>
      </section>
      <section aria-labelledby="table-title">
      <h2 id="table-title">Functions</h2>
      <form id="controls">
      <label>Search <input id="search" type="search" placeholder="name, file, module or owner">\
      </label>
      <label>Show <select id="verdict">\(watchedOption)\(isOwn ? ownOption : nil)<option value="dead">\
      never or rarely called\(isOwn ? ", with tests and dependencies" : "")</option>\
      <option value="">all</option></select></label>
      \(references == nil ? nil : groups)<output id="count"></output>
      </form>
      <div class="scroll" tabindex="0"><table id="list"><thead><tr></tr></thead><tbody></tbody>\
      </table></div>
      <button id="more" type="button" hidden>Show more</button>
      <noscript><p>The table and the map need JavaScript; <code>firstlight dead --format text</code> \
      does not.</p></noscript>
      </section>

      """
  }

  /// The code that the numbers do not include; nil: there is none.
  private static func otherCode(_ list: DeadCodeList, _ sums: DeadCodeReport.Sums) -> String? {
    guard list.change == nil else { return nil }
    let more =
      list.report.count(.neverCalled) - sums.functionVerdicts[.neverCalled, default: 0]
    return more > 0
      ? "\(CountText.number(more)) more never called in tests and dependencies." : nil
  }

  /// The functions in a short form: pages with a hundred thousand functions have to open.
  private static func data(
    _ list: DeadCodeList, _ references: ReferenceText?, _ paths: SourcePaths,
    _ links: SourcePaths
  ) throws(Failure) -> String {
    var tables = Tables()
    // The set is needed only if a baseline removes functions from the list.
    let listed = list.knownCount > 0 ? Set(texts: list.gated.map(\.identity)) : nil
    let functions = list.report.functions.filter {
      $0.verdict != .compilerGenerated && list.change?.contains($0) != false
    }
    let names = ShownNames(functions)
    let rows = functions.map { row in
      var cells = Row(
        row, name: list.showsFullNames ? row.name : names.name(of: row),
        module: tables.number(row.moduleLabel, in: \.modules),
        file: row.file.map { tables.file(paths.shown($0), link: links.uri($0)) } ?? -1,
        owner: tables.number(row.owners.joined(separator: " "), in: \.owners),
        listing: !list.isInScope(row)
          ? .otherCode
          : listed.map { $0.contains(row.identity) || row.isNameless } ?? true ? .listed : .known)
      if let references, let group = references.group(row) {
        cells.references = Row.References(
          group: group.rawValue,
          text: tables.number(references.text(row.identity) ?? "", in: \.references),
          rank: references.references.rank(row.identity), depth: references.depth(row))
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
    /// The link to each of `files`.
    var links: [String] = []
    private var numbers: [TextBytes: Int] = [:]

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
    /// Names of reference groups; nil without an index.
    var groups: [String]?
    var references: [String]
    var rows: [Row]
  }

  /// Name, module, file, line, bytes, called runs, watched runs, verdict, bound, owner, whether the function is
  /// listed. With an index, for never-called functions also: group and text of the references, rank among all
  /// functions, and depth in the tree of functions that can be deleted together.
  private struct Row: Encodable {
    var row: FunctionReport
    var name: String
    var module, file, owner: Int
    var listing: Listing
    var references: References?

    /// Whether the page's numbers include a never-called function.
    enum Listing: Int, Encodable {
      case otherCode, listed
      /// In the baseline.
      case known
    }

    struct References {
      var group, text, rank, depth: Int
    }

    init(
      _ row: FunctionReport, name: String, module: Int, file: Int, owner: Int, listing: Listing
    ) {
      self.row = row
      self.name = name
      self.module = module
      self.file = file
      self.owner = owner
      self.listing = listing
    }

    func encode(to encoder: any Encoder) throws {
      var cells = encoder.unkeyedContainer()
      try cells.encode(name)
      try cells.encode(module)
      try cells.encode(file)
      try cells.encode(row.line)
      try cells.encode(row.bytes)
      try cells.encode(row.calledRuns)
      try cells.encode(row.watchedRuns)
      try cells.encode(Verdict.allCases.firstIndex(of: row.verdict) ?? 0)
      try cells.encode((row.bound * 1e4).rounded() / 1e4)
      try cells.encode(owner)
      try cells.encode(listing)
      if let references {
        try cells.encode(references.group)
        try cells.encode(references.text)
        try cells.encode(references.rank)
        try cells.encode(references.depth)
      }
    }
  }
}
