import ArgumentParser
import ProcessControl

extension ReadinessCondition: ExpressibleByArgument {
  package var defaultValueDescription: String { text }

  /// Fails for a moment that only a command which reads the program's output can see.
  func validateWithoutOutput() throws {
    if case .line = self {
      throw ValidationError("--until line:TEXT is for launch, which reads the program's output.")
    }
  }
}
