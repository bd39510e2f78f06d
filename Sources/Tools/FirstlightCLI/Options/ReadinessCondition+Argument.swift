import ArgumentParser
import ProcessControl

extension ReadinessCondition {
  /// The value of `--until`.
  @Sendable static func parse(_ argument: String) throws -> ReadinessCondition {
    guard let moment = ReadinessCondition(argument: argument) else {
      throw ValidationError("use \(forms)")
    }
    return moment
  }
}
