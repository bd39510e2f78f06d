import FirstlightModel
import SystemSupport

extension OrderingInput {
  /// Checks that there are functions to order, and that the target binary contains them.
  ///
  /// - Parameters:
  ///   - target: path of the target binary; nil for the recorded one.
  ///   - minimumHitRate: required share of called functions in the target, from 0 to 1.
  /// - Throws: `Failure` of kind `data` with advice.
  func check(target: String?, minimumHitRate: Double?) throws(Failure) {
    if units.isEmpty { throw nothing(in: target) }
    guard let names, let target, let minimumHitRate, names.hitRate < minimumHitRate else { return }
    throw Failure(
      .data,
      "\(target): contains only \(NumberText.share(names.hitRate)) of the called functions, "
        + "less than \(NumberText.share(minimumHitRate))",
      advice: "record again with a build of the same sources")
  }

  /// Checks that the profile has traces to compare.
  ///
  /// - Throws: `Failure` of kind `data` with advice.
  package func checkTraces() throws(Failure) {
    guard traces.isEmpty else { return }
    throw Failure(
      .data, "no trace calls a function that can be ordered: nothing to evaluate",
      advice: "record a run of the program's main task")
  }

  private func nothing(in target: String?) -> Failure {
    if calledFunctions == 0 {
      return Failure(
        .data, "\(path): none of its functions was called in these runs",
        advice: "record a run that uses it, or choose another binary with --image")
    }
    if let names, names.all > 0 {
      return Failure(
        .data,
        "\(target ?? ""): contains none of the \(CountText.text(names.all, "function")) "
          + "called in \(path)",
        advice: "use a binary built from the same sources")
    }
    return Failure(
      .data, "\(path): its functions have no names",
      advice: "record a binary that is not stripped")
  }
}
