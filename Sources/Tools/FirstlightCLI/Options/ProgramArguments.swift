import ArgumentParser

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
    if let place = words.prefix(2).firstIndex(of: "--") { words.remove(at: place) }
    return words
  }

  func validate() throws {
    if let word = words.first, ["-p", "--pid", "--attach"].contains(word) {
      throw ValidationError(
        "Unknown option '\(word)'. Firstlight cannot attach to a running process, whose first calls "
          + "are over: give the command that starts it.")
    }
    if let word = words.first, word != "--", word.hasPrefix("-") {
      throw ValidationError("Unknown option '\(word)'.")
    }
  }
}
