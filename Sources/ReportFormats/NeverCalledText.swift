import DeadCode
import FirstlightModel

/// A never-called list for people: a head that says what was watched, then the functions by module
/// and file, then the totals.
public enum NeverCalledText {
  /// - Parameter workingDirectory: files within it are shown relative to it.
  public static func text(_ list: NeverCalled, workingDirectory: String? = nil) -> String {
    var text = head(list)
    var start = list.rows.startIndex
    while start < list.rows.endIndex {
      let first = list.rows[start]
      let end =
        list.rows[start...].firstIndex {
          $0.module != first.module || $0.function.file != first.function.file
        } ?? list.rows.endIndex
      text += "\n" + group(list.rows[start..<end], workingDirectory: workingDirectory)
      start = end
    }
    return text + "\n" + totals(list)
  }

  private static func head(_ list: NeverCalled) -> String {
    var text =
      "Watched \(CountText.text(list.runs, "run")) "
      + "(\(CountText.text(list.processes, "process", "processes")), "
      + "\(TimeText.text(list.timeObserved)) in all). Losses: \(LossText.text(list.losses)).\n"
    if !list.losses.isEmpty {
      text += "What was lost looks like never called: do not delete by this list.\n"
    }
    for name in list.buildsWithoutDebugInfo {
      text += "\(name) has no debug information: compiler-made functions cannot be told.\n"
    }
    return text
  }

  private static func group(
    _ rows: ArraySlice<NeverCalled.Row>, workingDirectory: String?
  ) -> String {
    let first = rows[rows.startIndex]
    var file = first.function.file ?? "(no source file known)"
    if let workingDirectory, file.hasPrefix(workingDirectory + "/") {
      file = String(file.dropFirst(workingDirectory.count + 1))
    }
    var table = TextTable([.right, .right, .left])
    for row in rows {
      let function = row.function
      let mangled = function.name == function.demangledName ? "" : "  \(function.name)"
      table.add(
        function.line > 0 ? "\(function.line)" : "-", "\(function.size) B",
        function.demangledName + mangled)
    }
    return "\(first.module)  \(file)\n" + table.text(indent: "  ")
  }

  private static func totals(_ list: NeverCalled) -> String {
    let totals = list.totals
    var table = TextTable([.right, .left])
    table.add(CountText.number(totals.called), "called")
    table.add(
      CountText.number(totals.neverCalled), "never called, \(CountText.bytes(totals.bytes))")
    table.add(
      CountText.number(totals.compilerMadeNeverCalled),
      "never called, compiler-made"
        + (list.includesCompilerMade || totals.compilerMadeNeverCalled == 0
          ? "" : " (not listed: --all shows them)"))
    table.add(CountText.number(totals.functions), "functions in all")
    return table.text()
  }
}
