import FirstlightModel
import TextFormatting

/// Notes on the accuracy of a start with a breakpoint on each function, shared by text, page and trace.
enum AccuracyText {
  /// Each line has one or two sentences.
  static func notes(_ accuracy: TracingAccuracy) -> [String] {
    var lines: [String] = []
    if accuracy.stopError > 0 {
      lines.append(
        "Accuracy of self times: \(milliseconds(accuracy.stopError)) ms for each stop, at least one "
          + "stop a call; other load on the machine adds to it.")
    }
    if abs(accuracy.scale - 1) >= 0.005 {
      lines.append(
        "Times are scaled to the stages of starts with few stops: the longest stage by "
          + "\(NumberText.decimal(accuracy.scale, digits: 2)).")
    }
    if !(0.5...2).contains(accuracy.scale) {
      lines.append(
        "Traced and untraced starts disagree (busy machine?): use these times only to compare them "
          + "with each other. Try again with more --runs or less other load.")
    }
    return lines
  }

  private static func milliseconds(_ nanoseconds: UInt64) -> String {
    NumberText.decimal(Double(nanoseconds) / 1e6, digits: 3)
  }
}
