import DeadCode
import FirstlightModel
import SystemSupport

/// A never-called list as text: the extent of the recordings, the functions, then sums.
package enum DeadText {
  package static func text(
    _ list: DeadCodeList, references: FunctionReferences? = nil, paths: SourcePaths
  ) -> String {
    let references = references.map { ReferenceText(references: $0, paths: paths) }
    var text = DeadSentences.observation(list.report.observation)
      .map { PrintableText.of($0) + "\n" }.joined()
    for line in TestedText.observation(list) { text += PrintableText.of(line) + "\n" }
    for note in DeadSentences.notes(list) { text += PrintableText.of(note) + "\n" }
    if !list.missingFiles.isEmpty {
      text +=
        "\(CountText.text(list.missingFiles.count, "source file")) not found, so their keep "
        + "comments are ignored: pass their new place with --path-map FROM=TO.\n"
    }
    let tested = TestedText(list: list, references: references, paths: paths)
    text += tested.text
    if list.tests != nil, let heading = tested.heading { text += "\n\(heading)\n" }
    let parts = parts(of: tested.rest)
    addRows(of: parts.dead, references, paths, to: &text)
    if let inWindows = parts.inWindows {
      text += "\n\(DeadSentences.inWindows(list))\n"
      addRows(of: inWindows, nil, paths, to: &text)
    }
    text += leftOut(list)
    text += notes(list, paths)
    text += coverage(list)
    text += "\n" + sums(list)
    if let references, let deletable = DeadSentences.deletable(list, references) {
      text += deletable + "\n"
    }
    if let tested = TestedText.sum(list) { text += tested + "\n" }
    return text
  }

  /// The list without the functions that windows alone recorded, and the list of these; nil if there are none, or if
  /// all functions are shown with their verdicts.
  static func parts(of list: DeadCodeList) -> (dead: DeadCodeList, inWindows: DeadCodeList?) {
    guard !list.showsAll, list.rows.contains(where: DeadCodeList.isInWindows) else {
      return (list, nil)
    }
    var (dead, inWindows) = (list, list)
    dead.rows.removeAll(where: DeadCodeList.isInWindows)
    inWindows.rows.removeAll { !DeadCodeList.isInWindows($0) }
    inWindows.limit = list.limit.map { max(0, $0 - dead.rows.count) }
    return (dead, inWindows)
  }

  private static func addRows(
    of list: DeadCodeList, _ references: ReferenceText?, _ paths: SourcePaths,
    to text: inout String
  ) {
    switch list.sorting {
    case .module, .file: addGroups(of: list, references, paths, to: &text)
    case .bytes, .runShare: text += flat(list, references, paths)
    case .references:
      if let references {
        text += ReferenceListText(list: list, references: references).text
      } else {
        addGroups(of: list, nil, paths, to: &text)
      }
    }
  }

  /// The functions, grouped by module and file.
  private static func addGroups(
    of list: DeadCodeList, _ references: ReferenceText?, _ paths: SourcePaths,
    to text: inout String
  ) {
    let rows = list.shown
    var start = rows.startIndex
    while start < rows.endIndex {
      let first = rows[start]
      let end =
        rows[start...].firstIndex { $0.module != first.module || $0.file != first.file }
        ?? rows.endIndex
      var table = TextTable([.right, .right, .left] + columns(list, references))
      for row in rows[start..<end] {
        table.add(
          row: [row.line > 0 ? "\(row.line)" : "-", CountText.bytes(row.bytes), name(row, list)]
            + column(row, references) + AgeText.column(row, list))
      }
      let file = first.file.map(paths.shown) ?? "(unknown source file)"
      text += "\n" + PrintableText.of("\(first.moduleLabel)  \(file)") + "\n"
      table.append(to: &text, indent: "  ")
      start = end
    }
  }

  private static func flat(
    _ list: DeadCodeList, _ references: ReferenceText?, _ paths: SourcePaths
  ) -> String {
    guard !list.rows.isEmpty else { return "" }
    var table = TextTable([.right, .right, .left] + columns(list, references))
    for row in list.shown {
      let place = row.file.map { "  \(paths.shown($0)):\(row.line)" } ?? ""
      table.add(
        row: [
          CountText.bytes(row.bytes),
          "\(CountText.number(row.calledRuns))/\(CountText.number(row.watchedRuns))",
          name(row, list) + place,
        ] + column(row, references) + AgeText.column(row, list))
    }
    return "\n" + table.text(indent: "  ")
  }

  private static func columns(
    _ list: DeadCodeList, _ references: ReferenceText?
  ) -> [TextTable.Alignment] {
    (references == nil ? [] : [.left]) + (list.changeTimes == nil ? [] : [.left])
  }

  /// The references, if an index was read.
  private static func column(_ row: FunctionReport, _ references: ReferenceText?) -> [String] {
    references.map { [$0.text(row.identity) ?? ""] } ?? []
  }

  private static func name(_ row: FunctionReport, _ list: DeadCodeList) -> String {
    var text = list.showsFullNames ? row.name : row.shortName
    if row.verdict == .belowThreshold {
      text +=
        "  (\(CountText.number(row.calledRuns)) of "
        + "\(CountText.text(row.watchedRuns, "run")))"
    } else if list.showsAll {
      text += "  (\(row.verdict.rawValue))"
    } else if row.tests == .unknown {
      text += "  (tests: unknown)"
    }
    return text
  }

  /// Functions without a row.
  private static func leftOut(_ list: DeadCodeList) -> String {
    DeadSentences.leftOut(list).map { "\n\($0)\n" }.joined()
  }

  /// The share of called functions in each module.
  private static func coverage(_ list: DeadCodeList) -> String {
    let modules = DeadSentences.coverage(list)
    guard !modules.rows.isEmpty else { return "" }
    var table = TextTable(modules.columns.map(\.alignment))
    table.add(row: modules.columns.map(\.head))
    for row in modules.rows { table.add(row: row) }
    return "\n" + table.text() + (modules.more.map { "\($0)\n" } ?? "")
  }

  private static func notes(_ list: DeadCodeList, _ paths: SourcePaths) -> String {
    var text = ""
    func section(_ title: String, _ rows: [FunctionReport], _ note: (FunctionReport) -> String) {
      guard !rows.isEmpty else { return }
      text += "\n\(title)\n"
      for row in rows.prefix(20) {
        let place = row.file.map { "  \(paths.shown($0)):\(row.line)" } ?? ""
        text += "  " + PrintableText.of("\(name(row, list))\(place): \(note(row))") + "\n"
      }
      if rows.count > 20 { text += "  and \(CountText.number(rows.count - 20)) more\n" }
    }
    section("Kept on purpose", list.report.select { $0.verdict == .kept && list.isInScope($0) }) {
      $0.keepReason ?? ""
    }
    section("Stale keeps: called functions", list.report.staleKeeps) {
      "\($0.keepReason ?? ""); remove the keep"
    }
    section("Called before, unused since a build", list.report.unused.filter { list.isInScope($0) })
    {
      "unused since \(version($0, list)), last called \(TimeText.moment($0.lastSeen))"
    }
    return text
  }

  private static func version(_ row: FunctionReport, _ list: DeadCodeList) -> String {
    guard let index = row.unusedSince else { return "" }
    let version = list.report.observation.versions[index]
    return "build \(version.buildID) of \(version.image)"
      + (version.firstSeen > 0 ? " of \(TimeText.moment(version.firstSeen))" : "")
  }

  private static func sums(_ list: DeadCodeList) -> String {
    let sums = list.sums
    var table = TextTable([.right, .left])
    for (verdict, count, text) in DeadSentences.verdicts(list) {
      guard count > 0 || verdict == .called || verdict == .neverCalled else { continue }
      var label = text
      if verdict == .neverCalled || verdict == .belowThreshold {
        label += ", \(CountText.bytes(list.bytes(verdict)))"
      }
      if !list.showsAll, verdict == .compilerGenerated {
        label += " (not listed: use --all)"
      }
      table.add(CountText.number(count), label)
    }
    table.add(CountText.number(sums.functions), "functions in total")
    var text = table.text()
    if let known = DeadSentences.known(list) { text += known + "\n" }
    if !list.outdated.isEmpty {
      text +=
        "\(CountText.text(list.outdated.count, "baseline entry", "baseline entries")) outdated: "
        + "rewrite the baseline with --write-baseline.\n"
    }
    if let equation = equation(list) { text += equation + "\n" }
    return text + owners(list)
  }

  /// `24 guards = 15 called + 9 never called`; nil: nothing was recorded.
  static func equation(_ list: DeadCodeList) -> String? {
    let sums = list.sums
    var parts = Verdict.allCases.compactMap { verdict -> String? in
      let count = sums.guardVerdicts[verdict, default: 0]
      return count > 0 ? "\(CountText.number(count)) \(verdict.rawValue)" : nil
    }
    if sums.foreign > 0 { parts.append("\(CountText.number(sums.foreign)) in other code") }
    if sums.outside > 0 { parts.append("\(CountText.number(sums.outside)) outside the filter") }
    if parts.isEmpty { return nil }
    let recorders = list.report.observation.recorders
    let noun = (recorders.count == 1 ? recorders.first : nil).map(point)
    return "\(CountText.text(sums.guards, noun ?? "instrumentation point")) = "
      + parts.joined(separator: " + ")
  }

  /// What the recorder watches, in its words. Breakpoints, probes and imported files: functions.
  private static func point(_ recorder: Recorder) -> String {
    switch recorder {
    case .guards: "guard"
    case .breakpoints: "function"
    case .entryHooks: "entry hook"
    }
  }

  private static func owners(_ list: DeadCodeList) -> String {
    let weights = list.weights { $0.owners }
    guard weights.count > 1 else { return "" }
    var table = TextTable([.right, .right, .left])
    for weight in weights.prefix(8) {
      table.add(CountText.bytes(weight.bytes), CountText.number(weight.functions), weight.name)
    }
    return "\nBytes by owner\n" + table.text(indent: "  ")
      + (weights.count > 8 ? "  and \(CountText.number(weights.count - 8)) more\n" : "")
  }
}
