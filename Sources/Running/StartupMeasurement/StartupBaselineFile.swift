import FirstlightModel
import Foundation
import StartupCost
import SystemSupport
import TextFormatting

/// A gate's baseline on disk: JSON that reads well in reviews. Nothing in it is trusted, and nothing
/// that it names is run.
package enum StartupBaselineFile {
  package static func write(_ baseline: StartupBaseline, to path: String) throws(Failure) {
    try ResultFile.write(JSONForm.pretty(baseline), to: path)
  }

  /// Fails with `.noInput`, or with `.data` naming the file if it is no baseline.
  package static func read(_ path: String) throws(Failure) -> StartupBaseline {
    struct Form: Decodable { var firstlightStartup: Int }
    let advice = "write it anew with --write-baseline"
    guard access(path, F_OK) == 0 else {
      throw Failure(
        .noInput, "\(path): \(ErrorText.of(errno))",
        advice: "write it with --write-baseline first")
    }
    let data = Data(try TextFile.read(path).utf8)
    let decoder = JSONDecoder()
    guard let form = try? decoder.decode(Form.self, from: data) else {
      throw Failure(.data, "\(path): not a baseline of start-ups", advice: advice)
    }
    guard form.firstlightStartup == StartupBaseline.form else {
      throw Failure(
        .data,
        "\(path): a baseline of form \(form.firstlightStartup), this firstlight reads form "
          + "\(StartupBaseline.form)", advice: advice)
    }
    guard let baseline = try? decoder.decode(StartupBaseline.self, from: data) else {
      throw Failure(.data, "\(path): a baseline that is damaged", advice: advice)
    }
    if let problem = baseline.problem {
      throw Failure(.data, "\(path): a baseline with \(problem)", advice: advice)
    }
    return baseline
  }
}
