import ArgumentParser
import Collector
import FirstlightModel
import FleetModel
import SystemSupport

/// The commands of `firstlight` that concern fleets. It starts this program for them.
struct ClientCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firstlight",
    subcommands: [FleetCommand.self, UploadCommand.self, UploadSymbolsCommand.self])

  /// Whether the words are one of these commands.
  static func isMeant(by words: [String]) -> Bool {
    configuration.subcommands.contains { $0._commandName == words.first }
  }

  /// Whether the words are `fleet COMMAND --version`. Some of these commands have an option of this name.
  static func asksForVersion(_ words: [String]) -> Bool {
    words.count == 3 && words[0] == "fleet" && words[2] == "--version"
  }

  /// - Throws: `.usage` if the word after `fleet` is no command of it.
  static func check(_ words: [String]) throws(Failure) {
    guard words.first == "fleet", words.count > 1, !words[1].begins(with: "-"), words[1] != "help"
    else { return }
    let names = FleetCommand.configuration.subcommands.map { $0._commandName }
    guard !names.contains(words[1]) else { return }
    let advice =
      NearestWord.to(words[1], among: names).map { "did you mean '\($0)'?" }
      ?? "there are \(names.joined(separator: ", "))"
    throw Failure(.usage, "there is no command '\(words[1])'; \(advice)")
  }
}
