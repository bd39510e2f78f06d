import ArgumentParser
import FirstlightModel
import SystemSupport

/// The words of a command line, the first of which chooses a command. `help` may stand before it.
struct CommandWords {
  private let words: [String]
  private let names = FirstlightCommand.configuration.subcommands.map { $0._commandName }

  init(_ arguments: [String]) { words = arguments }

  /// The words for the parser, which takes `-DNAME=VALUE` for an option `-DNAME`: two words of it.
  var parsed: [String] {
    guard words.first == TestCommand.configuration.commandName else { return words }
    let end = words.firstIndex(where: { $0 == "--" }) ?? words.endIndex
    return words[..<end].flatMap { word in
      word.begins(with: "-D") && word.utf8.contains(UInt8(ascii: "="))
        ? ["-D", String(word.dropFirst(2))] : [word]
    } + words[end...]
  }

  /// Whether the words are `--version`, perhaps after a command.
  var askForVersion: Bool {
    words.last == "--version"
      && (words.count == 1 || words.count == 2 && names.contains(words[0]))
  }

  /// Throws an error with the most similar command if a word is unknown.
  func check() throws {
    guard let word = words.first == "help" ? words.dropFirst().first : words.first,
      !word.begins(with: "-"), word != "help", !names.contains(word)
    else { return }
    let advice =
      NearestWord.to(word, among: names).map { "did you mean '\($0)'?" }
      ?? "there are \(names.joined(separator: ", "))"
    throw Failure(.usage, "there is no command '\(word)'; \(advice)")
  }
}
