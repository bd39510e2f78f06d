import ArgumentParser

/// A program to start and its arguments, after the options of the command itself.
///
/// Its arguments stand behind `--`, as with all commands. What follows the program's name without it is the
/// program's too, also what looks like an option; `--` may stand before the name instead.
struct ProgramArguments: ParsableArguments {
  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The program to start and its arguments.", valueName: "command"),
    completion: .file())
  var words: [String] = []

  /// Without the first `--`, if that stands right before or behind the program's name.
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
