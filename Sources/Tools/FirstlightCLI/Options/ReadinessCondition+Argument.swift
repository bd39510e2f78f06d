import ArgumentParser
import ProcessControl

extension ReadinessCondition: ExpressibleByArgument {
  package var defaultValueDescription: String { text }

  /// Fails for `line:TEXT`, which only `launch` supports: it reads the program's output.
  func validateWithoutOutput() throws {
    if case .line = self {
      throw ValidationError(
        "--until line:TEXT works only with launch, which reads the program's output.")
    }
  }
}
