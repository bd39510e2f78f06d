import FirstlightModel
import StartupReport
import TextFormatting

/// The slowest first calls until ready, with their callers.
enum CallTreeText {
  private static let most = 15
  private static let widest = 100

  static func text(_ tree: CallTree) -> String {
    guard !tree.calls.isEmpty else { return "" }
    let worst = tree.worst(most)
    let chosen = Set(worst)
    let text =
      "\nFirst calls: \(CountText.number(tree.calls.count)), of "
      + "\(CountText.number(tree.functionCount)) functions; the \(worst.count) with the longest self "
      + "time, below the function whose first call they were in\n"
      + "(Later calls are not seen. CPU: the part of self time on a CPU)\n"
    var table = TextTable([.right, .right, .right, .left])
    table.add(row: ["ms", "self ms", "CPU ms", "function"])
    for line in tree.branches(of: worst) {
      let call = tree.calls[line.index]
      let indent = String(repeating: "  ", count: min(line.depth, 30))
      table.add(
        row: [
          call.outcome.duration.map { LaunchText.milliseconds(Double($0) / 1e9) } ?? "-",
          call.own.map { LaunchText.milliseconds(Double($0) / 1e9) } ?? "-",
          call.ownCPU.map { LaunchText.milliseconds(Double($0) / 1e9) } ?? "-",
          indent + String(call.name.prefix(widest)) + ending(call.outcome.ending)
            + (chosen.contains(line.index) ? place(call) : ""),
        ])
    }
    return text + table.text() + AccuracyText.notes(tree.accuracy).map { "\($0)\n" }.joined()
  }

  private static func place(_ call: CallTree.Call) -> String {
    guard let file = call.file else { return "" }
    return "  \(BaseName.of(file)):\(call.line)"
  }

  private static func ending(_ ending: CallOutcome.Ending) -> String {
    switch ending {
    case .returned: ""
    case .tailCall: " (tail call)"
    case .unwound: " (left without return)"
    case .running: " (still running)"
    case .asynchronous: " (async)"
    case .unseen: " (return not seen)"
    }
  }
}
