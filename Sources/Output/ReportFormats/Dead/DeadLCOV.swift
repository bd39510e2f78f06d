import DeadCode
import FirstlightModel

/// Function coverage in the format of LCOV's tracefiles (geninfo(1)): all functions with a known answer whether
/// they were called, each with the number of runs that called it.
enum DeadLCOV {
  static func text(_ list: DeadCodeList) -> String {
    var byFile: [String: [FunctionReport]] = [:]
    for row in list.report.functions {
      guard let file = row.file, row.line > 0 else { continue }
      switch row.verdict {
      case .called, .belowThreshold, .neverCalled, .kept: byFile[file, default: []].append(row)
      case .folded, .compilerGenerated, .inlined, .notInstrumented, .notCalledWhileWatched,
        .unwatched, .dropped:
        continue
      }
    }
    var text = ""
    for (file, rows) in byFile.sorted(by: { $0.key < $1.key }) {
      text += "TN:\nSF:\(PrintableText.of(file))\n"
      for row in rows { text += "FN:\(row.line),\(PrintableText.of(row.name))\n" }
      for row in rows { text += "FNDA:\(row.calledRuns),\(PrintableText.of(row.name))\n" }
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
