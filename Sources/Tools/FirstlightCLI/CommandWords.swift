import ArgumentParser
import FirstlightModel
import SystemSupport

/// The words of a command line that choose a subcommand, such as `fleet dead`.
struct CommandWords {
  /// The number of words that chose a subcommand.
  private var chosen = 0
  private var total: Int
  /// The first word that is no subcommand where one is needed.
  private var unknown: (word: String, names: [String])?

  init(_ arguments: [String]) {
    total = arguments.count
    var parent: any ParsableCommand.Type = FirstlightCommand.self
    let asksForHelp = arguments.first == "help"
    for word in arguments.dropFirst(asksForHelp ? 1 : 0) {
      let commands = parent.configuration.subcommands
      guard !commands.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
      guard let next = commands.first(where: { $0._commandName == word }) else {
        unknown = (word, commands.map { $0._commandName })
        return
      }
      parent = next
      chosen += 1
    }
  }

  /// Whether all words but the last ones chose a subcommand.
  func areAll(butLast count: Int) -> Bool { chosen == total - count }

  /// Throws an error with the most similar command if a word is unknown.
  func check() throws {
    guard let unknown else { return }
    let advice =
      NearestWord.to(unknown.word, among: unknown.names).map { "did you mean '\($0)'?" }
      ?? "there are \(unknown.names.joined(separator: ", "))"
    throw Failure(.usage, "there is no command '\(unknown.word)'; \(advice)")
  }
}
