import DeadCode
import FirstlightModel
import TextFormatting

/// A never-called list as text: the extent of the recordings, the functions, then sums.
package enum DeadText {
  package static func text(_ list: DeadCodeList, paths: SourcePaths) -> String {
    var text = DeadSentences.observation(list.report.observation)
      .map { PrintableText.of($0) + "\n" }.joined()
    if let bound = DeadSentences.bound(list) { text += bound + "\n" }
    if let nameless = DeadSentences.nameless(list) { text += nameless + "\n" }
    if !list.missingFiles.isEmpty {
      text +=
        "\(CountText.text(list.missingFiles.count, "source file")) not found, so their keep "
        + "comments are ignored: pass their new place with --path-map FROM=TO.\n"
    }
    switch list.sorting {
    case .module, .file: addGroups(of: list, paths, to: &text)
    case .bytes, .runShare: text += flat(list, paths)
    }
    text += notes(list, paths)
    text += "\n" + sums(list)
    return text
  }

  /// Functions under their module and file.
  private static func addGroups(of list: DeadCodeList, _ paths: SourcePaths, to text: inout String)
  {
    var start = list.rows.startIndex
    while start < list.rows.endIndex {
      let first = list.rows[start]
      let end =
        list.rows[start...].firstIndex { $0.module != first.module || $0.file != first.file }
        ?? list.rows.endIndex
      var table = TextTable([.right, .right, .left])
      for row in list.rows[start..<end] {
        table.add(row.line > 0 ? "\(row.line)" : "-", "\(row.bytes) B", name(row, list))
      }
      let file = first.file.map(paths.shown) ?? "(unknown source file)"
      text += "\n" + PrintableText.of("\(first.module)  \(file)") + "\n"
      table.append(to: &text, indent: "  ")
      start = end
    }
  }

  private static func flat(_ list: DeadCodeList, _ paths: SourcePaths) -> String {
    guard !list.rows.isEmpty else { return "" }
    var table = TextTable([.right, .right, .left])
    for row in list.rows {
      let place = row.file.map { "  \(paths.shown($0)):\(row.line)" } ?? ""
      table.add(
        "\(row.bytes) B",
        "\(CountText.number(row.calledRuns))/\(CountText.number(row.watchedRuns))",
        name(row, list) + place)
    }
    return "\n" + table.text(indent: "  ")
  }

  private static func name(_ row: FunctionReport, _ list: DeadCodeList) -> String {
    var text = row.name
    if row.verdict == .belowThreshold {
      text +=
        "  (\(CountText.number(row.calledRuns)) of "
        + "\(CountText.text(row.watchedRuns, "run")))"
    } else if list.showsAll {
      text += "  (\(row.verdict.rawValue))"
    }
    return text
  }

  private static func notes(_ list: DeadCodeList, _ paths: SourcePaths) -> String {
    var text = ""
    func section(_ title: String, _ rows: [FunctionReport], _ note: (FunctionReport) -> String) {
      guard !rows.isEmpty else { return }
      text += "\n\(title)\n"
      for row in rows.prefix(20) {
        let place = row.file.map { "  \(paths.shown($0)):\(row.line)" } ?? ""
        text += "  " + PrintableText.of("\(row.name)\(place): \(note(row))") + "\n"
      }
      if rows.count > 20 { text += "  and \(CountText.number(rows.count - 20)) more\n" }
    }
    section("Kept on purpose", list.report.select { $0.verdict == .kept }) { $0.keepReason ?? "" }
    section("Stale keeps: called functions", list.report.staleKeeps) {
      "\($0.keepReason ?? ""); remove the keep"
    }
    section("Called before, unused since a build", list.report.unused) {
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
    let report = list.report
    var table = TextTable([.right, .left])
    for verdict in Verdict.allCases where verdict != .folded {
      let count = report.count(verdict)
      guard count > 0 || verdict == .called || verdict == .neverCalled else { continue }
      var label = DeadSentences.label(verdict)
      if verdict == .neverCalled || verdict == .belowThreshold {
        label += ", \(CountText.bytes(report.bytes(verdict)))"
      }
      if !list.showsAll, verdict == .compilerGenerated {
        label += " (not listed: use --all)"
      }
      table.add(CountText.number(count), label)
    }
    table.add(CountText.number(report.sums.functions), "functions in total")
    var text = table.text()
    if list.knownCount > 0 {
      text += "\(CountText.text(list.knownCount, "function")) of the baseline not listed.\n"
    }
    if !list.outdated.isEmpty {
      text +=
        "\(CountText.text(list.outdated.count, "baseline entry", "baseline entries")) outdated: "
        + "rewrite the baseline with --write-baseline.\n"
    }
    return text + equation(report.sums) + weights(list)
  }

  /// `24 guards = 15 called + 9 never called`.
  static func equation(_ sums: DeadCodeReport.Sums) -> String {
    var parts = Verdict.allCases.compactMap { verdict -> String? in
      let count = sums.guardVerdicts[verdict, default: 0]
      return count > 0 ? "\(CountText.number(count)) \(verdict.rawValue)" : nil
    }
    if sums.outside > 0 { parts.append("\(CountText.number(sums.outside)) outside the filter") }
    if parts.isEmpty { return "" }
    return "\(CountText.text(sums.guards, "guard")) = \(parts.joined(separator: " + "))\n"
  }

  private static func weights(_ list: DeadCodeList) -> String {
    var text = ""
    func section(_ title: String, _ weights: [DeadCodeList.Weight]) {
      guard weights.count > 1 else { return }
      var table = TextTable([.right, .right, .left])
      for weight in weights.prefix(8) {
        table.add(CountText.bytes(weight.bytes), CountText.number(weight.functions), weight.name)
      }
      text += "\n\(title)\n" + table.text(indent: "  ")
      if weights.count > 8 { text += "  and \(CountText.number(weights.count - 8)) more\n" }
    }
    section("Bytes by module", list.weights { [$0.module] })
    section("Bytes by owner", list.weights { $0.owners })
    return text
  }
}
