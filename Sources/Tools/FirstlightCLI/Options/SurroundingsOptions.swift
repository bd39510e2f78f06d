import ArgumentParser
import FirstlightModel
import ProcessControl

/// The environment in which measured programs start.
struct SurroundingsOptions: ParsableArguments {
  @Option(
    name: .customLong("env"),
    help: ArgumentHelp(
      "Set a variable in the program's environment. Repeatable.", valueName: "name=value"))
  var variables: [String] = []

  @Option(
    name: .customLong("stdin"),
    help: ArgumentHelp("File that the program reads (default: nothing).", valueName: "file"),
    completion: .file())
  var input: String?

  @Option(
    help: ArgumentHelp(
      "Shell command to run before each start; it is not measured.", valueName: "command"))
  var prepare: String?

  func validate() throws {
    for variable in variables where !variable.contains("=") || variable.hasPrefix("=") {
      throw ValidationError("--env takes NAME=VALUE, not '\(variable)'.")
    }
  }

  var surroundings: ProgramSurroundings {
    let pairs = variables.map {
      $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    }
    return ProgramSurroundings(
      environment: Dictionary(pairs.map { (String($0[0]), String($0[1])) }) { $1 },
      input: input, preparation: prepare)
  }
}
