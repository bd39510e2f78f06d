import FirstlightModel
import TextFormatting

/// Notes on the correction of a traced start's times, shared by text, page and trace.
enum CorrectionText {
  /// How the times were made, and whether they can be trusted; one sentence or two a line.
  static func notes(_ correction: TimeCorrection) -> [String] {
    guard correction.isOff else { return lines(correction) }
    return lines(correction) + [
      "Traced and untraced starts disagree (busy machine?): use these times only to compare calls."
    ]
  }

  /// How the times were made; one sentence or two a line.
  static func lines(_ correction: TimeCorrection) -> [String] {
    var lines: [String] = []
    if let processors = correction.processors {
      let on = CountText.text(processors, "processor")
      lines.append(
        "Threads and child processes were stopped one at a time; these times replay their work on "
          + "\(on).")
      if isTold(correction.stretch) {
        lines.append(
          "From the second thread or process on, times are scaled by "
            + "\(NumberText.decimal(correction.stretch, digits: 2)) to match untraced starts.")
      }
    }
    if correction.stopError > 0 {
      lines.append(
        "Accuracy of self times: \(milliseconds(correction.stopError)) ms for each stop, at least one "
          + "stop a call; other load on the machine adds to it.")
    }
    if correction.unexplainedWaits >= 10_000 {
      lines.append(
        "Waits of \(milliseconds(correction.unexplainedWaits)) ms in total may be too long: their end "
          + "was not observed.")
    }
    return lines
  }

  /// Whether two digits of a factor show that it is one.
  static func isTold(_ stretch: Double) -> Bool { abs(stretch - 1) >= 0.005 }

  private static func milliseconds(_ nanoseconds: UInt64) -> String {
    NumberText.decimal(Double(nanoseconds) / 1e6, digits: 3)
  }
}
