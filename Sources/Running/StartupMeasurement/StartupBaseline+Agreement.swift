import FirstlightModel
import ProcessControl
import StartupComparison

/// Whether what is to be measured is what a baseline is of.
extension StartupBaseline {
  /// Fails with `.data` if it is of another start-up.
  ///
  /// - Parameters:
  ///   - until: the end of the start-up; nil: that of the baseline.
  ///   - path: the baseline's file, for the error.
  package func check(
    arguments: [String], until: ReadinessCondition?, isCold: Bool, path: String
  ) throws(Failure) {
    let advice = "use the same, or rewrite the baseline with --write-baseline"
    if self.arguments != arguments {
      throw Failure(.data, "\(path): measured with other arguments", advice: advice)
    }
    if let until, until.argument != self.until {
      throw Failure(
        .data, "\(path): measured until \(self.until), not until \(until.text)", advice: advice)
    }
    if isCold, !cold {
      throw Failure(.data, "\(path): measured warm, not cold", advice: advice)
    }
  }

  /// The end of its start-up. Fails with `.data` if that is of a kind that is not known here.
  package func moment(path: String) throws(Failure) -> ReadinessCondition {
    guard let moment = ReadinessCondition(argument: until) else {
      throw Failure(
        .data, "\(path): measured until an unknown event: \(until)",
        advice: "rewrite the baseline with --write-baseline")
    }
    return moment
  }
}
