import FirstlightModel
import Reports
import SystemSupport

/// The tables of a never-called list.
struct DeadTables {
  typealias Table = Document.Table

  private(set) var list: DeadCodeList
  /// Nil if no index was read.
  private(set) var references: ReferenceText?
  let paths: SourcePaths
  private let names: ShownNames

  init(list: DeadCodeList, references: ReferenceText?, paths: SourcePaths) {
    self.list = list
    self.references = references
    self.paths = paths
    names = ShownNames(list.rows)
  }

  /// The tables of a part of the list, in which a function has the name that it has in the whole.
  func of(_ part: DeadCodeList, _ references: ReferenceText?) -> DeadTables {
    var tables = self
    (tables.list, tables.references) = (part, references)
    return tables
  }

  func shownName(_ row: FunctionReport) -> String {
    list.showsFullNames ? row.name : names.name(of: row)
  }

  /// The functions, grouped as the list is sorted.
  var listing: [Table] {
    switch list.sorting {
    case .references where references != nil:
      groups {
        references?.group($0)
      } table: { group, rows in
        let sums = ReferenceSums(
          list.rows.filter { references?.group($0) == group }, references)
        let isDeletable = group == .deletable
        return Table(
          "\(ReferenceText.title(group)): \(sums.text)",
          [.number("")] + (isDeletable ? [.number("")] : []) + [.code(""), .code("", folded: true)]
            + extra,
          rows.map { row in
            let lines = references?.references.lineCount(row.identity)
            let indent = String(repeating: "  ", count: min(references?.depth(row) ?? 0, 20))
            return [CountText.bytes(row.bytes)]
              + (isDeletable ? [lines.map { CountText.text($0, "line") } ?? ""] : [])
              + [indent + shownName(row), paths.place(row) ?? row.moduleLabel]
              + [references?.text(row.identity) ?? row.verdict.rawValue] + AgeText.column(row, list)
          })
      }
    case .module, .file, .references:
      groups {
        TextBytes("\($0.moduleLabel)  \($0.file.map(paths.shown) ?? "(unknown source file)")")
      } table: { file, rows in
        Table(
          file.text, [.number(""), .number(""), .code("")] + extra,
          rows.map { row in
            [row.line > 0 ? "\(row.line)" : "-", CountText.bytes(row.bytes), name(row)]
              + cells(row)
          })
      }
    case .bytes, .runShare:
      list.rows.isEmpty
        ? []
        : [
          Table(
            nil, [.number(""), .number(""), .code("")] + extra,
            list.shown.map { row in
              [
                CountText.bytes(row.bytes), runs(row),
                name(row) + (paths.place(row).map { "  " + $0 } ?? ""),
              ] + cells(row)
            })
        ]
    }
  }

  private func groups<Key: Equatable>(
    by key: (FunctionReport) -> Key, table: (Key, Slice<FunctionRows>) -> Table
  ) -> [Table] {
    let rows = list.shown
    var tables: [Table] = []
    var start = rows.startIndex
    while start < rows.endIndex {
      let first = key(rows[start])
      let end = rows[start...].firstIndex { key($0) != first } ?? rows.endIndex
      tables.append(table(first, rows[start..<end]))
      start = end
    }
    return tables
  }

  /// The columns of references, if an index was read, and of ages.
  private var extra: [Table.Column] {
    (references == nil ? [] : [.text("", folded: true)])
      + (list.changeTimes == nil ? [] : [.text("", folded: true)])
  }

  private func cells(_ row: FunctionReport) -> [String] {
    (references.map { [$0.text(row.identity) ?? ""] } ?? []) + AgeText.column(row, list)
  }

  private func runs(_ row: FunctionReport) -> String {
    "\(CountText.number(row.calledRuns))/\(CountText.number(row.watchedRuns))"
  }

  private func name(_ row: FunctionReport) -> String {
    let name = shownName(row)
    if row.verdict == .belowThreshold {
      return name
        + "  (\(CountText.number(row.calledRuns)) of \(CountText.text(row.watchedRuns, "run")))"
    }
    if list.showsAll { return "\(name)  (\(row.verdict.rawValue))" }
    return row.tests == .unknown ? "\(name)  (tests: unknown)" : name
  }

  /// All functions in one table.
  func summary(_ caption: String?) -> Table {
    let columns: [Table.Column] =
      [.code("Function"), .code("Source"), .text("Module"), .number("Size"), .number("Runs")]
      + (list.showsAll ? [.text("Verdict")] : []) + (list.tests == nil ? [] : [.text("Tests")])
      + (references == nil ? [] : [.text("References")])
    return Table(
      caption, columns,
      list.shown.map { row in
        [
          shownName(row), paths.place(row) ?? "", row.moduleLabel, CountText.bytes(row.bytes),
          runs(row),
        ] + (list.showsAll ? [row.verdict.rawValue] : [])
          + (list.tests == nil ? [] : [row.tests?.rawValue ?? ""])
          + (references.map { [$0.text(row.identity) ?? ""] } ?? [])
      })
  }

  /// The functions that tests alone call; nil if there are none.
  var testedAlone: Table? {
    let rows = list.rows.filtered(\.isCalledByTestsAlone)
    guard !rows.isEmpty else { return nil }
    return Table(
      "Called by tests alone: \(TestedText.sums(rows))",
      [.number(""), .code(""), .code(""), .text("")],
      rows.map {
        [
          CountText.bytes($0.bytes), shownName($0), paths.place($0) ?? $0.moduleLabel,
          TestedText.note($0, references),
        ]
      }, most: list.limit ?? 0, rest: { "and \(CountText.number($0)) more: raise --limit" })
  }

  /// Functions whose verdict has something to add.
  var notes: [Table?] {
    func table(_ title: String, _ rows: [FunctionReport], _ note: (FunctionReport) -> String)
      -> Table?
    {
      rows.isEmpty
        ? nil
        : Table(
          title, [.code(""), .code(""), .text("")],
          rows.map { [name($0), paths.place($0) ?? "", note($0)] }, most: 20)
    }
    return [
      table("Kept on purpose", list.report.select { $0.verdict == .kept && list.isInScope($0) }) {
        $0.keepReason ?? ""
      },
      table("Stale keeps: called functions", list.staleKeeps) {
        "\($0.keepReason ?? ""); remove the keep"
      },
      table(
        "Called before, unused since a build", list.report.unused.filter { list.isInScope($0) }
      ) {
        "unused since \(version($0)), last called \(TimeText.moment($0.lastSeen))"
      },
    ]
  }

  private func version(_ row: FunctionReport) -> String {
    guard let index = row.unusedSince else { return "" }
    let version = list.report.observation.versions[index]
    return "build \(version.buildID) of \(version.image)"
      + (version.firstSeen > 0 ? " of \(TimeText.moment(version.firstSeen))" : "")
  }

  /// The share of called functions, with a row for each module; nil: there are none.
  var coverage: Table? {
    let modules = list.report.coverage(where: list.isInScope)
    guard !modules.isEmpty else { return nil }
    let shown = 20
    var listed = Array(modules.prefix(shown))
    if modules.count > 1 {
      var all = ModuleCoverage(name: "all \(CountText.text(modules.count, "module"))")
      for module in modules { all.add(module) }
      listed.append(all)
    }
    let more = modules.count - shown
    return Table(
      nil,
      [
        .number("Called"), .number("Functions"), .number("Never called"), .number("Size"),
        .number("Unknown", optional: true), .text("Module"),
      ],
      listed.map {
        [
          DeadSentences.wholePercent($0), CountText.number($0.functions),
          CountText.number($0.neverCalled), CountText.bytes($0.neverCalledBytes),
          CountText.number($0.unknown), $0.name,
        ]
      },
      notes: more > 0 ? ["and \(CountText.text(more, "more module")): use --format html"] : [])
  }

  /// The number of functions with each verdict.
  var sums: Table {
    let outdated =
      list.outdated.isEmpty
      ? nil
      : "\(CountText.text(list.outdated.count, "baseline entry", "baseline entries")) outdated: "
        + "rewrite the baseline with --write-baseline."
    let rows = DeadSentences.verdicts(list).filter { verdict, count, _ in
      count > 0 || verdict == .called || verdict == .neverCalled && list.unknownCount == 0
    }.map { verdict, count, label in
      let hasBytes = verdict == .neverCalled || verdict == .belowThreshold
      return [
        CountText.number(count),
        label + (hasBytes ? ", \(CountText.bytes(list.bytes(verdict)))" : "")
          + (!list.showsAll && verdict == .compilerGenerated ? " (not listed: use --all)" : ""),
      ]
    }
    return Table(
      nil, [.number(""), .text("")],
      rows + [[CountText.number(list.sums.functions), "functions in total"]],
      notes: [DeadSentences.known(list), outdated].compactMap(\.self))
  }

  var owners: Table? {
    let weights = list.weights { $0.owners }
    guard weights.count > 1 else { return nil }
    return Table(
      "Bytes by owner", [.number(""), .number(""), .text("")],
      weights.map { [CountText.bytes($0.bytes), CountText.number($0.functions), $0.name] }, most: 8)
  }
}

extension SourcePaths {
  /// `FILE:LINE`; nil if the function's file is unknown.
  func place(_ row: FunctionReport) -> String? { place(row.file, row.line) }

  func place(_ file: String?, _ line: Int) -> String? {
    file.map { shown($0) + (line > 0 ? ":\(line)" : "") }
  }
}

/// The names of functions in a list: the short ones, or the whole ones where only parameters tell rows apart.
struct ShownNames {
  /// Short names of several rows whose whole names are all short enough.
  private let repeated: Set<TextBytes>

  init(_ rows: some Sequence<FunctionReport>) {
    let groups = Dictionary(grouping: rows) { TextBytes($0.shortName) }
    repeated = Set(
      groups.filter { _, rows in
        rows.count > 1 && rows.allSatisfy { $0.name.utf8.count <= Self.longest }
      }.keys)
  }

  func name(of row: FunctionReport) -> String {
    let short = row.shortName
    return repeated.contains(TextBytes(short)) ? row.name : short
  }

  /// In bytes. Of rows with a longer name, the places have to tell all apart.
  private static let longest = 80
}
