import ArgumentParser

/// A program to start and its arguments, after the options of the command itself.
///
/// What follows the program's name is the program's, also what looks like an option: `--` before it
/// is allowed, and needed only if the program's name begins with a dash.
struct ProgramArguments: ParsableArguments {
  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The program to start and its arguments.", valueName: "command"),
    completion: .file())
  var words: [String] = []

  /// Without the `--` that may stand before it.
  var command: [String] { words.first == "--" ? Array(words.dropFirst()) : words }

  func validate() throws {
    if let word = words.first, word != "--", word.hasPrefix("-") {
      throw ValidationError("Unknown option '\(word)'.")
    }
  }
}
