import FirstlightModel
import SystemSupport

/// Function coverage in the format of LCOV's tracefiles (geninfo(1)): all functions with a known answer whether
/// they were called, each with the number of runs that called it.
enum DeadLCOV {
  static func text(_ list: DeadCodeList) -> String {
    var byFile: [TextBytes: [FunctionReport]] = [:]
    for row in list.report.functions where list.change?.contains(row) != false {
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
