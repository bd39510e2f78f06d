import FirstlightModel
import TextFormatting

/// The marks and spans of a program, as text.
enum LaunchMarksText {
  /// The most rows.
  private static let most = 40

  static func text(_ marks: [ProgramMark]) -> String {
    guard !marks.isEmpty else { return "" }
    var table = TextTable([.right, .right, .left])
    table.add(row: ["at ms", "took ms", "mark or span"])
    for mark in marks.prefix(most) {
      table.add(row: [milliseconds(mark.time), duration(mark.kind), mark.name])
    }
    var text = "\nMarks of the start with traced calls\n" + table.text()
    if marks.count > most {
      text += "and \(CountText.text(marks.count - most, "other")); --profile keeps all\n"
    }
    return text
  }

  private static func duration(_ kind: ProgramMark.Kind) -> String {
    switch kind {
    case .mark: ""
    case .span(let duration?): milliseconds(duration)
    case .span(nil): "no end"
    }
  }

  private static func milliseconds(_ nanoseconds: UInt64) -> String {
    LaunchText.milliseconds(Double(nanoseconds) / 1e9)
  }
}
