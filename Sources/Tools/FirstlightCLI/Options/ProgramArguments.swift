import ArgumentParser
import FirstlightModel
import ProcessControl

/// A program to start and its arguments, after the options of the command itself.
///
/// Words after `--` are the program and its arguments. Without `--`, all words after the program's name are its
/// arguments, even those that look like options. `--` may also stand after the name.
struct ProgramArguments: ParsableArguments {
  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The program to start and its arguments.", valueName: "command"),
    completion: .file())
  var words: [String] = []

  /// The words without the first `--`, if that stands right before or after the program's name.
  var command: [String] {
    var words = words
    if let place = words.prefix(2).firstIndex(where: { $0 == "--" }) { words.remove(at: place) }
    return words
  }

  func validate() throws {
    if let word = words.first, ["-p", "--pid", "--attach"].contains(word) {
      throw ValidationError(
        "Unknown option '\(word)'. Firstlight cannot attach to a running process, whose first calls "
          + "are over: give the command that starts it.")
    }
    if let word = words.first, word != "--", word.begins(with: "-") {
      throw ValidationError("Unknown option '\(word)'.")
    }
  }
}

/// Variables for the program's environment.
struct EnvironmentOptions: ParsableArguments {
  @Option(
    name: .customLong("env"),
    help: ArgumentHelp(
      "Set a variable in the program's environment. Repeatable.", valueName: "name=value"))
  var variables: [String] = []

  func validate() throws {
    for variable in variables where !variable.containsUTF8("=") || variable.begins(with: "=") {
      throw ValidationError("--env takes NAME=VALUE, not '\(variable)'.")
    }
  }

  /// By name; the last value of a name counts.
  var environment: [TextBytes: String] {
    let pairs = variables.map {
      $0.split(at: "=", maxSplits: 1, omittingEmpty: false)
    }
    return Dictionary(texts: pairs.map { ($0[0], String($0[1])) }) { $1 }
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
