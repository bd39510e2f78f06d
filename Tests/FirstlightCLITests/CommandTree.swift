import ArgumentParser

@testable import FirstlightCLI

/// Command lines as `firstlight` takes them, which run nothing here.
enum CommandTree {
  /// The command that some words are, with its options.
  static func parse<Command: ParsableCommand>(
    _ words: [String], as type: Command.Type = Command.self
  ) throws -> Command? {
    try FirstlightCommand.parseAsRoot(words) as? Command
  }

  /// What is wrong with some words; nil: nothing.
  static func refusal(_ words: [String]) -> String? {
    do {
      _ = try FirstlightCommand.parseAsRoot(words)
      return nil
    } catch {
      return FirstlightCommand.message(for: error)
    }
  }

  /// All commands, each with the words that choose it.
  static var commands: [(words: [String], type: any ParsableCommand.Type)] {
    below(FirstlightCommand.self, [])
  }

  private static func below(
    _ parent: any ParsableCommand.Type, _ words: [String]
  ) -> [(words: [String], type: any ParsableCommand.Type)] {
    [(words, parent)]
      + parent.configuration.subcommands.flatMap { below($0, words + [$0._commandName]) }
  }
}
