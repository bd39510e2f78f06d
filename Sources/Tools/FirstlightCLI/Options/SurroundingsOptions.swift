import ArgumentParser
import FirstlightModel
import ProcessControl

/// Variables for the program's environment.
struct EnvironmentOptions: ParsableArguments {
  @Option(
    name: .customLong("env"),
    help: ArgumentHelp(
      "Set a variable in the program's environment. Repeatable.", valueName: "name=value"))
  var variables: [String] = []

  func validate() throws {
    for variable in variables where !variable.contains("=") || variable.hasPrefix("=") {
      throw ValidationError("--env takes NAME=VALUE, not '\(variable)'.")
    }
  }

  /// By name; the last value of a name counts.
  var environment: [String: String] {
    let pairs = variables.map {
      $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    }
    return Dictionary(pairs.map { (String($0[0]), String($0[1])) }) { $1 }
  }
}

/// The environment in which measured programs start.
struct SurroundingsOptions: ParsableArguments {
  @OptionGroup var variables: EnvironmentOptions

  @Option(
    name: .customLong("stdin"),
    help: ArgumentHelp("File that the program reads (default: nothing).", valueName: "file"),
    completion: .file())
  var input: String?

  @Option(
    help: ArgumentHelp(
      "Shell command to run before each start; it is not measured.", valueName: "command"))
  var prepare: String?

  var surroundings: ProgramSurroundings {
    ProgramSurroundings(environment: variables.environment, input: input, preparation: prepare)
  }
}
