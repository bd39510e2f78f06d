import FirstlightModel
import Foundation
import ProcessControl
import SystemSupport

/// A gate's baseline on disk: JSON with short diffs. Its contents are untrusted, and nothing that it names is
/// run.
package enum StartupBaselineFile {
  package static func write(_ baseline: StartupBaseline, to path: String) throws(Failure) {
    try ResultFile.write(JSONForm.pretty(baseline), to: path)
  }

  /// Throws `.noInput`, or `.data` with the file's name if it is not a valid baseline.
  package static func read(_ path: String) throws(Failure) -> StartupBaseline {
    struct Form: Decodable { var firstlightStartup: Int }
    let advice = "rewrite it with --write-baseline"
    guard access(path, F_OK) == 0 else {
      throw Failure(
        .noInput, "\(path): \(ErrorText.of(errno))",
        advice: "create it with --write-baseline first")
    }
    let data = Data(try TextFile.argument(path).utf8)
    let decoder = JSONDecoder()
    guard let form = try? decoder.decode(Form.self, from: data) else {
      throw Failure(.data, "\(path): not a start-up baseline", advice: advice)
    }
    guard form.firstlightStartup == StartupBaseline.form else {
      throw Failure(
        .data,
        "\(path): baseline format \(form.firstlightStartup); this firstlight reads format "
          + "\(StartupBaseline.form)", advice: advice)
    }
    guard let baseline = try? decoder.decode(StartupBaseline.self, from: data) else {
      throw Failure(.data, "\(path): damaged baseline", advice: advice)
    }
    if let problem = baseline.problem {
      throw Failure(.data, "\(path): invalid baseline: \(problem)", advice: advice)
    }
    return baseline
  }
}

/// Checks whether a measurement fits a baseline.
extension StartupBaseline {
  /// Throws `.data` if the baseline is of another start-up.
  ///
  /// - Parameters:
  ///   - until: the end of the start-up; nil: the baseline's.
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

  /// The end of the baseline's start-up. Throws `.data` if its kind is unknown here.
  package func moment(path: String) throws(Failure) -> ReadinessCondition {
    guard let moment = ReadinessCondition(argument: until) else {
      throw Failure(
        .data, "\(path): measured until an unknown event: \(until)",
        advice: "rewrite the baseline with --write-baseline")
    }
    return moment
  }
}
