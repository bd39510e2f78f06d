import FirstlightModel
import Reports
import SystemSupport

/// A never-called list as comma-separated values (RFC 4180), with a line of headings. If an index was read, the
/// last columns show references.
enum DeadCSV {
  static func text(
    _ list: DeadCodeList, references: ReferenceText? = nil, paths: SourcePaths
  ) -> String {
    var text =
      "verdict,module,image,file,line,bytes,called_runs,watched_runs,run_share,upper_bound,"
      + "owners,name,mangled_name"
      + (references == nil ? "" : ",references,references_text,is_deletable,lines")
      + (list.tests == nil ? "" : ",tests,test_functions")
      + (list.changeTimes == nil ? "" : ",since,builds,line_changed") + "\r\n"
    for row in list.rows {
      let cells = [
        row.verdict.rawValue, row.module, row.images.joined(separator: " "),
        row.file.map(paths.shown) ?? "", row.line > 0 ? "\(row.line)" : "", "\(row.bytes)",
        "\(row.calledRuns)", "\(row.watchedRuns)", "\(row.runShare)", "\(row.bound)",
        row.owners.joined(separator: " "), row.name, row.mangledName,
      ]
      text += CSVRow.text(
        cells + columns(row, references) + (list.tests == nil ? [] : tests(row, references))
          + ages(row, list))
    }
    return text
  }

  private static func tests(_ row: FunctionReport, _ references: ReferenceText?) -> [String] {
    let names = references?.references.tests(row.identity).map(\.name) ?? []
    return [row.tests?.rawValue ?? "", names.joined(separator: " ")]
  }

  /// Days in UTC.
  private static func ages(_ row: FunctionReport, _ list: DeadCodeList) -> [String] {
    guard let times = list.changeTimes else { return [] }
    let age = FunctionAge(of: row, list.report.observation)
    return [
      age?.since.map(TimeText.day) ?? "", age.map { "\($0.builds)" } ?? "",
      times[row.identity].map(TimeText.day) ?? "",
    ]
  }

  private static func columns(_ row: FunctionReport, _ references: ReferenceText?) -> [String] {
    guard let references else { return [] }
    guard let document = ReferenceDocument(row.identity, references.references) else {
      return ["", "", "", ""]
    }
    return [
      document.verdict, references.text(row.identity) ?? "", "\(document.isDeletable)",
      document.lines.map { "\($0)" } ?? "",
    ]
  }
}

/// Function coverage in the format of LCOV's tracefiles (geninfo(1)): all functions with a known answer whether
/// they were called, each with the number of runs that called it.
enum DeadLCOV {
  static func text(_ list: DeadCodeList) -> String {
    var byFile: [TextBytes: [FunctionReport]] = [:]
    for row in list.report.functions {
      guard let file = row.file, row.line > 0, let answer = row.verdict.answer, answer != .unknown
      else { continue }
      byFile[file, default: []].append(row)
    }
    var text = ""
    for (file, rows) in byFile.sorted(by: { $0.key < $1.key }) {
      text += "TN:\nSF:\(Escaping.terminal(file.text))\n"
      for row in rows { text += "FN:\(row.line),\(Escaping.terminal(row.name))\n" }
      for row in rows { text += "FNDA:\(row.calledRuns),\(Escaping.terminal(row.name))\n" }
      text += "FNF:\(rows.count)\nFNH:\(rows.count { $0.calledRuns > 0 })\n"
      // The line of a declaration stands for its function, so that viewers mark it.
      var lines: [Int: Int] = [:]
      for row in rows { lines[row.line] = max(lines[row.line] ?? 0, row.calledRuns) }
      for (line, runs) in lines.sorted(by: { $0.key < $1.key }) { text += "DA:\(line),\(runs)\n" }
      text += "LF:\(lines.count)\nLH:\(lines.count { $0.value > 0 })\nend_of_record\n"
    }
    return text
  }
}
