import FirstlightModel
import TextFormatting

/// What a start's recorder has done to its times, in the same words for text, page and trace.
enum CorrectionText {
  /// One sentence or two a line.
  static func lines(_ correction: TimeCorrection) -> [String] {
    var lines: [String] = []
    if let processors = correction.processors {
      let on = CountText.text(processors, "processor")
      lines.append(
        "Threads were stopped one at a time; these times are a replay of what each ran on \(on).")
      if isTold(correction.stretch) {
        lines.append(
          "From the second thread on they are multiplied by "
            + "\(NumberText.decimal(correction.stretch, digits: 2)) to fit untraced starts.")
      }
    }
    if correction.stopError > 0 {
      lines.append(
        "Own times: within \(milliseconds(correction.stopError)) ms for each stop in them, at least one "
          + "a call.")
      lines.append("That is a rule: what the machine did beside falls on whatever ran just then.")
    }
    if correction.unexplainedWaits >= 10_000 {
      lines.append(
        "Waits of \(milliseconds(correction.unexplainedWaits)) ms in all may be too long: nothing told "
          + "what ended them.")
    }
    if correction.isOff {
      lines.append(
        "Traced and untraced starts disagree (busy machine?): use these times only to compare calls."
      )
    }
    return lines
  }

  /// Whether two digits of a factor show that it is one.
  static func isTold(_ stretch: Double) -> Bool { abs(stretch - 1) >= 0.005 }

  private static func milliseconds(_ nanoseconds: UInt64) -> String {
    NumberText.decimal(Double(nanoseconds) / 1e6, digits: 3)
  }
}
